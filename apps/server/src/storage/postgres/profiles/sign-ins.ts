import type { Queryable } from "../database.js";

export interface SignIn {
  count: number;
  at: Date;
  appId: string;
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
    `insert into sign_ins (organization_id, user_id, sign_in_count, signed_in_at, app_id, url)
     values ($1, $2, 1, now(), $3, $4)
     on conflict (organization_id, user_id) do update
     set sign_in_count = sign_ins.sign_in_count + 1, signed_in_at = now(), app_id = $3, url = $4`,
    [organizationId, userId, appId, url],
  );
}

export async function findSignIn(
  database: Queryable,
  organizationId: string,
  userId: string,
): Promise<SignIn | undefined> {
  const { rows } = await database.query<{
    sign_in_count: number;
    signed_in_at: Date;
    app_id: string;
    url: string | null;
  }>(
    `select sign_in_count, signed_in_at, app_id, url
     from sign_ins
     where organization_id = $1 and user_id = $2`,
    [organizationId, userId],
  );
  const row = rows[0];
  return row && { count: row.sign_in_count, at: row.signed_in_at, appId: row.app_id, url: row.url };
}
