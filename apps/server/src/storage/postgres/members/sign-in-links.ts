import type { Queryable, Transaction } from "../database.js";

export interface NewSignInLink {
  tokenHash: Buffer;
  memberId: string;
  /** The address of the member. The link works only as long as the member has it. */
  email: string;
  isMailed: boolean;
  lifetimeMinutes: number;
}

/** What a link that can still be used is for. */
export interface SignInLink {
  memberId: string;
  /** In lower case. */
  email: string;
  isMailed: boolean;
}

interface SignInLinkRow {
  member_id: string;
  email: string;
  is_mailed: boolean;
}

/** Creates a link, and removes those whose time is over. */
export async function createSignInLink(
  database: Queryable,
  { tokenHash, memberId, email, isMailed, lifetimeMinutes }: NewSignInLink,
): Promise<void> {
  await database.query("delete from sign_in_links where expires_at < now()");
  await database.query(
    `insert into sign_in_links (token_hash, member_id, email, is_mailed, expires_at)
     values ($1, $2, lower($3), $4, now() + $5 * interval '1 minute')`,
    [tokenHash, memberId, email, isMailed, lifetimeMinutes],
  );
}

export async function findSignInLink(database: Queryable, tokenHash: Buffer): Promise<SignInLink | undefined> {
  const { rows } = await database.query<SignInLinkRow>(
    `select l.member_id, l.email, l.is_mailed
     from sign_in_links l
     join members m on m.id = l.member_id and lower(m.email) = l.email
     where l.token_hash = $1 and l.expires_at > now()`,
    [tokenHash],
  );
  return rows[0] && linkFromRow(rows[0]);
}

/**
 * Removes a link, so that one request alone can use it; undefined when it was used, its time is over, or its member has
 * another address by now. Locks the member: the address stays the same until the transaction ends.
 */
export async function takeSignInLink(tx: Transaction, tokenHash: Buffer): Promise<SignInLink | undefined> {
  const { rows } = await tx.query<SignInLinkRow>(
    `with usable as (
       select l.token_hash
       from sign_in_links l
       join members m on m.id = l.member_id and lower(m.email) = l.email
       where l.token_hash = $1 and l.expires_at > now()
       for update of m
     )
     delete from sign_in_links
     where token_hash in (select token_hash from usable)
     returning member_id, email, is_mailed`,
    [tokenHash],
  );
  return rows[0] && linkFromRow(rows[0]);
}

function linkFromRow({ member_id, email, is_mailed }: SignInLinkRow): SignInLink {
  return { memberId: member_id, email, isMailed: is_mailed };
}
