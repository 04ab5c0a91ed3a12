import type { SubjectType } from "@muster/protocol";
import type { ClickHouse } from "../../engines/clickhouse.js";

/** The documents of users or accounts by id, as they were last projected. */
export async function readDocuments(
  clickhouse: ClickHouse,
  kind: SubjectType,
  organizationId: string,
  ids: readonly string[],
): Promise<Map<string, Record<string, unknown>>> {
  if (ids.length === 0) return new Map();
  const rows = await clickhouse.rows<{ id: string; doc: string }>(
    `select id, doc
     from ${kind}s final
     where org = {org:String} and id in {ids:Array(String)}`,
    { org: organizationId, ids },
  );
  return new Map(rows.map(({ id, doc }) => [id, JSON.parse(doc) as Record<string, unknown>]));
}
