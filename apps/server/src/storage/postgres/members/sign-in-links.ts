import type { Queryable } from "../database.js";

export interface NewSignInLink {
  tokenHash: Buffer;
  memberId: string;
  isMailed: boolean;
  lifetimeMinutes: number;
}

/** What a link that can still be used is for. */
export interface SignInLink {
  memberId: string;
  isMailed: boolean;
}

/** Creates a link, and removes those whose time is over. */
export async function createSignInLink(
  database: Queryable,
  { tokenHash, memberId, isMailed, lifetimeMinutes }: NewSignInLink,
): Promise<void> {
  await database.query("delete from sign_in_links where expires_at < now()");
  await database.query(
    `insert into sign_in_links (token_hash, member_id, is_mailed, expires_at)
     values ($1, $2, $3, now() + $4 * interval '1 minute')`,
    [tokenHash, memberId, isMailed, lifetimeMinutes],
  );
}

export async function findSignInLink(database: Queryable, tokenHash: Buffer): Promise<SignInLink | undefined> {
  const { rows } = await database.query<{ member_id: string; is_mailed: boolean }>(
    "select member_id, is_mailed from sign_in_links where token_hash = $1 and expires_at > now()",
    [tokenHash],
  );
  return rows[0] && { memberId: rows[0].member_id, isMailed: rows[0].is_mailed };
}

/** Removes a link, so that one request alone can use it; undefined when it was used or its time is over. */
export async function takeSignInLink(database: Queryable, tokenHash: Buffer): Promise<SignInLink | undefined> {
  const { rows } = await database.query<{ member_id: string; is_mailed: boolean }>(
    "delete from sign_in_links where token_hash = $1 and expires_at > now() returning member_id, is_mailed",
    [tokenHash],
  );
  return rows[0] && { memberId: rows[0].member_id, isMailed: rows[0].is_mailed };
}
