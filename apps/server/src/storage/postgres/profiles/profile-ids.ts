import type { SubjectType } from "@muster/protocol";
import type { Queryable } from "../database.js";

const TABLES: Record<SubjectType, string> = { user: "users", account: "accounts" };

/** Ids of users or accounts after an id, in order. */
export async function profileIdsAfter(
  database: Queryable,
  kind: SubjectType,
  organizationId: string,
  after: string,
  limit: number,
): Promise<string[]> {
  const { rows } = await database.query<{ id: string }>(
    `select id from ${TABLES[kind]} where organization_id = $1 and id > $2 order by id limit $3`,
    [organizationId, after, limit],
  );
  return rows.map(({ id }) => id);
}

export async function countProfiles(database: Queryable, kind: SubjectType, organizationId: string): Promise<number> {
  const { rows } = await database.query<{ total: number }>(
    `select count(*) as total from ${TABLES[kind]} where organization_id = $1`,
    [organizationId],
  );
  return rows[0]!.total;
}
