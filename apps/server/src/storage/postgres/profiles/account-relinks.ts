import type { Queryable, Transaction } from "../database.js";

/** A link that leads from a merged account to its survivor, or from an erased one to none. */
export interface AccountRelink {
  from: string;
  to: string | null;
}

/** A user whose link was changed. */
export interface RelinkedUser extends AccountRelink {
  id: string;
}

/**
 * Links users of merged accounts to the survivor, and those of erased ones to none: at most `limit` of them. Returns the
 * changed links. If there are as many as the limit, more users may be left.
 */
export async function relinkUsers(
  tx: Transaction,
  organizationId: string,
  relinks: readonly AccountRelink[],
  { version, limit }: { version: number; limit: number },
): Promise<RelinkedUser[]> {
  if (relinks.length === 0) return [];
  const { rows } = await tx.query<RelinkedUser>(
    // The subquery has a limit of its own, so that the planner looks each account up in the index.
    `with linked as (
       select u.id, r.loser, r.survivor
       from unnest($2::text[], $3::text[]) as r (loser, survivor),
         lateral (
           select id from users where organization_id = $1 and account_id = r.loser order by id limit $5
         ) u
       limit $5
     )
     update users u
     set account_id = l.survivor, version = $4,
       account_origin = case when l.survivor is not null then coalesce(u.account_origin, l.loser) end
     from linked l
     where u.organization_id = $1 and u.id = l.id
     returning u.id, l.loser as "from", l.survivor as "to"`,
    [organizationId, relinks.map(({ from }) => from), relinks.map(({ to }) => to), version, limit],
  );
  return rows;
}

/** Stores accounts whose users are to follow in pages. */
export async function saveRelinks(
  tx: Transaction,
  organizationId: string,
  relinks: readonly AccountRelink[],
  isQuiet: boolean,
): Promise<void> {
  await tx.query(
    `insert into account_relinks (organization_id, from_account, to_account, is_quiet)
     select $1, from_account, to_account, $4
     from unnest($2::text[], $3::text[]) as r (from_account, to_account)`,
    [organizationId, relinks.map(({ from }) => from), relinks.map(({ to }) => to), isQuiet],
  );
}

/** Redirects users who are still to follow to an account that was itself merged or erased. */
export async function redirectRelinks(
  tx: Transaction,
  organizationId: string,
  relinks: readonly AccountRelink[],
): Promise<void> {
  if (relinks.length === 0) return;
  await tx.query(
    `update account_relinks a
     set to_account = r.survivor
     from unnest($2::text[], $3::text[]) as r (loser, survivor)
     where a.organization_id = $1 and a.to_account = r.loser`,
    [organizationId, relinks.map(({ from }) => from), relinks.map(({ to }) => to)],
  );
  await tx.query(
    `update account_returns a
     set to_account = r.survivor
     from unnest($2::text[], $3::text[]) as r (loser, survivor)
     where a.organization_id = $1 and a.to_account = r.loser`,
    [organizationId, relinks.map(({ from }) => from), relinks.map(({ to }) => to)],
  );
}

/** An account whose users follow in pages. */
export interface WaitingRelink extends AccountRelink {
  /** Users up to this one have followed. */
  afterUserId: string;
  isQuiet: boolean;
}

/** The accounts whose users follow next, in the order in which they were merged and erased. */
export async function nextRelinks(
  database: Queryable,
  organizationId: string,
  limit: number,
): Promise<WaitingRelink[]> {
  const { rows } = await database.query<WaitingRelink>(
    `select from_account as "from", to_account as "to", after_user_id as "afterUserId", is_quiet as "isQuiet"
     from account_relinks
     where organization_id = $1
     order by id
     limit $2`,
    [organizationId, limit],
  );
  return rows;
}

/** Lets the next users of an account follow, in the order of their ids. Fewer than `limit` are the last ones. */
export async function relinkNextUsers(
  tx: Transaction,
  organizationId: string,
  { from, to, afterUserId }: WaitingRelink,
  { version, limit }: { version: number; limit: number },
): Promise<RelinkedUser[]> {
  const { rows } = await tx.query<RelinkedUser>(
    `with next as (
       select id
       from users
       where organization_id = $1 and account_id = $2 and id > $4
       order by id
       limit $6
     ), relinked as (
       update users
       set account_id = $3, version = $5,
         account_origin = case when $3::text is not null then coalesce(account_origin, $2) end
       where organization_id = $1 and id = any(array(select id from next))
     )
     select id, $2 as "from", $3 as "to" from next order by id`,
    [organizationId, from, to, afterUserId, version, limit],
  );
  return rows;
}

/** Stores up to which user an account's users have followed. */
export async function saveRelinkProgress(
  tx: Transaction,
  organizationId: string,
  from: string,
  afterUserId: string,
): Promise<void> {
  await tx.query("update account_relinks set after_user_id = $3 where organization_id = $1 and from_account = $2", [
    organizationId,
    from,
    afterUserId,
  ]);
}

/**
 * Removes accounts whose users have all followed. For erased ones the change of the last users counts as the change of the
 * erasure: only after it do all logs and files stop to name the account.
 */
export async function endRelinks(
  tx: Transaction,
  organizationId: string,
  from: readonly string[],
  sequence: number,
): Promise<void> {
  if (from.length === 0) return;
  await tx.query("delete from account_relinks where organization_id = $1 and from_account = any($2::text[])", [
    organizationId,
    from,
  ]);
  await tx.query("update erased set sequence = $3 where organization_id = $1 and id = any($2::text[])", [
    organizationId,
    from,
    sequence,
  ]);
}
