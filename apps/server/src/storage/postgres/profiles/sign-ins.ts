import type { Queryable } from "../database.js";

/** The sign-ins of a user with tokens of one connector. */
export interface SignIn {
  appId: string;
  count: number;
  /** The first one; null when it was not recorded. */
  firstAt: Date | null;
  /** The last one, and its page. */
  at: Date;
  url: string | null;
}

export async function recordSignIn(
  database: Queryable,
  organizationId: string,
  userId: string,
  appId: string,
  url: string | null,
): Promise<void> {
  await database.query(
    `insert into sign_ins (organization_id, user_id, app_id, sign_in_count, first_signed_in_at, signed_in_at, url)
     values ($1, $2, $3, 1, now(), now(), $4)
     on conflict (organization_id, user_id, app_id) do update
     set sign_in_count = sign_ins.sign_in_count + 1, signed_in_at = now(), url = excluded.url`,
    [organizationId, userId, appId, url],
  );
}

/** The sign-ins of a user by connector, the latest first. Those of users who were merged into it count too. */
export async function listSignIns(database: Queryable, organizationId: string, userId: string): Promise<SignIn[]> {
  const { rows } = await database.prepared<SignIn>(
    `select app_id as "appId", sum(sign_in_count)::integer as count,
            case when bool_and(first_signed_in_at is not null) then min(first_signed_in_at) end as "firstAt",
            max(signed_in_at) as at, (array_agg(url order by signed_in_at desc))[1] as url
     from sign_ins
     where organization_id = $1
       and (user_id = $2
         or user_id in (select loser_id from merges where organization_id = $1 and survivor_id = $2))
     group by app_id
     order by at desc, app_id`,
    [organizationId, userId],
  );
  return rows;
}
