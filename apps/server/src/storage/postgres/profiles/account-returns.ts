import type { Transaction } from "../database.js";
import type { RelinkedUser } from "./account-relinks.js";

/** Users who return to an account that was split off: those whom records linked to this origin. */
export interface AccountReturn {
  id: number;
  origin: string;
  /** Null: the account was erased since. */
  to: string | null;
  /** Users up to this one have returned. */
  afterUserId: string;
  isQuiet: boolean;
}

/**
 * Lets the users of an account return to it, who belong to the survivor of a merge that is undone. Users who have not followed
 * that merge yet just stay.
 */
export async function saveReturns(
  tx: Transaction,
  organizationId: string,
  origins: readonly string[],
  to: string,
  isQuiet: boolean,
): Promise<void> {
  await tx.query("delete from account_relinks where organization_id = $1 and from_account = $2", [organizationId, to]);
  await tx.query(
    `update account_relinks
     set to_account = $3
     where organization_id = $1 and from_account = any($2::text[]) and from_account <> $3`,
    [organizationId, origins, to],
  );
  await tx.query(
    `insert into account_returns (organization_id, origin, to_account, is_quiet)
     select $1, origin, $3, $4
     from unnest($2::text[]) as r (origin)
     where exists (select from users where organization_id = $1 and account_origin = origin)`,
    [organizationId, origins, to, isQuiet],
  );
}

/** The next return. */
export async function nextReturn(tx: Transaction, organizationId: string): Promise<AccountReturn | undefined> {
  const { rows } = await tx.query<AccountReturn>(
    `select id, origin, to_account as "to", after_user_id as "afterUserId", is_quiet as "isQuiet"
     from account_returns
     where organization_id = $1
     order by id
     limit 1`,
    [organizationId],
  );
  return rows[0];
}

/** Lets the next users return, in the order of their ids. Fewer than `limit` are the last ones. */
export async function returnNextUsers(
  tx: Transaction,
  organizationId: string,
  { origin, to, afterUserId }: AccountReturn,
  { version, limit }: { version: number; limit: number },
): Promise<RelinkedUser[]> {
  const { rows } = await tx.query<RelinkedUser>(
    `with next as (
       select id, account_id
       from users
       where organization_id = $1 and account_origin = $2 and id > $4
       order by id
       limit $6
     ), returned as (
       update users
       set account_id = $3, version = $5,
         account_origin = case when $3::text is not null and $3 <> account_origin then account_origin end
       where organization_id = $1 and id = any(array(select id from next))
     )
     select id, account_id as "from", $3 as "to" from next order by id`,
    [organizationId, origin, to, afterUserId, version, limit],
  );
  return rows;
}

export async function saveReturnProgress(
  tx: Transaction,
  organizationId: string,
  id: number,
  afterUserId: string,
): Promise<void> {
  await tx.query("update account_returns set after_user_id = $3 where organization_id = $1 and id = $2", [
    organizationId,
    id,
    afterUserId,
  ]);
}

export async function endReturn(tx: Transaction, organizationId: string, id: number): Promise<void> {
  await tx.query("delete from account_returns where organization_id = $1 and id = $2", [organizationId, id]);
}
