import type { SubjectType } from "@muster/protocol";
import type { ClickHouse } from "../../engines/clickhouse.js";

/** How many users or accounts have a value of each attribute, by report key. */
export async function countAttributes(
  clickhouse: ClickHouse,
  kind: SubjectType,
  organizationId: string,
): Promise<Map<string, number>> {
  const rows = await clickhouse.rows<{ path: string; count: number }>(
    `select arrayJoin(JSONAllPaths(attrs)) as path, count() as count
     from ${kind}s final
     where org = {org:String}
     group by path`,
    { org: organizationId },
  );
  return new Map(rows.map(({ path, count }) => [path.replaceAll("%2E", ".").replaceAll("%25", "%"), count]));
}
