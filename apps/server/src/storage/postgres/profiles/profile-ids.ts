import type { SubjectType } from "@muster/protocol";
import type { Queryable } from "../database.js";
import { PROFILE_TABLES } from "./profile-tables.js";

/** The next ids of users or accounts after an id, in order. */
export async function profileIdsAfter(
  database: Queryable,
  subjectType: SubjectType,
  organizationId: string,
  after: string,
  limit: number,
): Promise<string[]> {
  const { rows } = await database.query<{ id: string }>(
    `select id from ${PROFILE_TABLES[subjectType].profiles} where organization_id = $1 and id > $2 order by id limit $3`,
    [organizationId, after, limit],
  );
  return rows.map(({ id }) => id);
}

export async function countProfiles(
  database: Queryable,
  subjectType: SubjectType,
  organizationId: string,
): Promise<number> {
  const { rows } = await database.query<{ total: number }>(
    `select count(*) as total from ${PROFILE_TABLES[subjectType].profiles} where organization_id = $1`,
    [organizationId],
  );
  return rows[0]!.total;
}
