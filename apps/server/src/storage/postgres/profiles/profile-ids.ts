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

/** The id of the user with an id; the former id of a merged user gives that of the survivor. */
export async function findUserId(database: Queryable, organizationId: string, id: string): Promise<string | undefined> {
  const { rows } = await database.query<{ id: string }>(
    `select id
     from users
     where organization_id = $1
       and id = coalesce((select survivor_id from merges where organization_id = $1 and loser_id = $2), $2)`,
    [organizationId, id],
  );
  return rows[0]?.id;
}

/** Those of the ids that users have or had before they were merged. */
export async function findLivingUsers(
  database: Queryable,
  organizationId: string,
  ids: readonly string[],
): Promise<Set<string>> {
  const { rows } = await database.query<{ id: string }>(
    `select id from users where organization_id = $1 and id = any($2::text[])
     union
     select loser_id from merges where organization_id = $1 and loser_id = any($2::text[])`,
    [organizationId, ids],
  );
  return new Set(rows.map(({ id }) => id));
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
