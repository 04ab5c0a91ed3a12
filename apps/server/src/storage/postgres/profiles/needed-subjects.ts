import type { Queryable } from "../database.js";

/** Those of some subjects that people have done something with: comments, sign-ins, marks. */
export async function findUsedByPeople(
  database: Queryable,
  organizationId: string,
  ids: readonly string[],
): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const { rows } = await database.query<{ id: string }>(
    `select object_id as id from comments where organization_id = $1 and object_id = any($2::text[])
     union
     select user_id from sign_ins where organization_id = $1 and user_id = any($2::text[])
     union
     select user_id from user_marks where organization_id = $1 and user_id = any($2::text[])`,
    [organizationId, ids],
  );
  return new Set(rows.map(({ id }) => id));
}

/** How many users are linked to each of some accounts. More than `limit` are not counted. */
export async function countLinkedUsers(
  database: Queryable,
  organizationId: string,
  accounts: readonly { id: string; limit: number }[],
): Promise<Map<string, number>> {
  if (accounts.length === 0) return new Map();
  const { rows } = await database.query<{ id: string; users: number }>(
    `select a.id, l.users::integer as users
     from unnest($2::text[], $3::integer[]) as a (id, most)
     cross join lateral (
       select count(*) as users
       from (select from users where organization_id = $1 and account_id = a.id limit a.most) linked
     ) l`,
    [organizationId, accounts.map(({ id }) => id), accounts.map(({ limit }) => limit)],
  );
  return new Map(rows.map(({ id, users }) => [id, users]));
}
