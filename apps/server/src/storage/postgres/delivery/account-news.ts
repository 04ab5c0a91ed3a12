import type { AccountChanges } from "../../../domain/delivery/account-news.js";
import { compress, decompress } from "../../logs/compression.js";
import type { Queryable, Transaction } from "../database.js";

/** Changes of an account that wait to be told to a connector. */
export interface WaitingNews {
  connectorId: string;
  accountId: string;
  changes: AccountChanges;
}

/** News without any queued page. They are locked until the transaction ends. */
export async function lockNewsToBegin(
  tx: Transaction,
  organizationId: string,
  connectorIds: readonly string[],
  accountIds: readonly string[],
): Promise<WaitingNews[]> {
  const { rows } = await tx.query<{ connector_id: string; account_id: string; changes: Buffer }>(
    `select connector_id, account_id, changes
     from account_news
     where organization_id = $1 and connector_id = any($2::text[]) and account_id = any($3::text[])
       and after_user_id is null
     for update`,
    [organizationId, connectorIds, accountIds],
  );
  return rows.map(({ connector_id, account_id, changes }) => ({
    connectorId: connector_id,
    accountId: account_id,
    changes: decompress<AccountChanges>(changes),
  }));
}

/** Stores news. Replaces news of the same account that have no queued page yet; the new ones keep the time. */
export async function saveNews(
  tx: Transaction,
  organizationId: string,
  news: readonly WaitingNews[],
  waitMs: number,
): Promise<void> {
  await tx.query(
    `insert into account_news (organization_id, connector_id, account_id, changes, due_at)
     select $1, n.connector_id, n.account_id, n.changes, now() + $5 * interval '1 millisecond'
     from unnest($2::text[], $3::text[], $4::bytea[]) as n (connector_id, account_id, changes)
     -- A connector may have been removed while the news were made.
     where exists (select from connectors c where c.organization_id = $1 and c.id = n.connector_id)
     on conflict (organization_id, connector_id, account_id) where after_user_id is null do update
     set changes = excluded.changes`,
    [
      organizationId,
      news.map(({ connectorId }) => connectorId),
      news.map(({ accountId }) => accountId),
      news.map(({ changes }) => compress(changes)),
      waitMs,
    ],
  );
}

/** News that are next for a connector. */
export interface NextNews {
  id: number;
  accountId: string;
  /** How long they wait for further changes. */
  waitMs: number;
}

/**
 * The news that waited longest since their last page, so that an account with many users does not hold up the others.
 * News of the same account follow each other.
 */
export async function nextNews(
  database: Queryable,
  organizationId: string,
  connectorId: string,
): Promise<NextNews | undefined> {
  const { rows } = await database.query<{ id: number; account_id: string; wait_ms: number }>(
    `select id, account_id, greatest(0, extract(epoch from due_at - now()) * 1000)::float as wait_ms
     from account_news n
     where organization_id = $1 and connector_id = $2
       and not exists (
         select
         from account_news e
         where e.organization_id = n.organization_id and e.connector_id = n.connector_id
           and e.account_id = n.account_id and e.id < n.id
       )
     order by due_at, id
     limit 1`,
    [organizationId, connectorId],
  );
  const [row] = rows;
  return row && { id: row.id, accountId: row.account_id, waitMs: row.wait_ms };
}

/** Locks news. Undefined when they were removed in the meantime. */
export async function lockNews(
  tx: Transaction,
  organizationId: string,
  connectorId: string,
  id: number,
): Promise<{ changes: AccountChanges; afterUserId: string } | undefined> {
  const { rows } = await tx.query<{ changes: Buffer; after_user_id: string | null }>(
    `select changes, after_user_id
     from account_news
     where organization_id = $1 and connector_id = $2 and id = $3
     for update`,
    [organizationId, connectorId, id],
  );
  const [row] = rows;
  return row && { changes: decompress<AccountChanges>(row.changes), afterUserId: row.after_user_id ?? "" };
}

/** Stores up to which user pages are queued, or removes the news when there are no more users. */
export async function saveNewsProgress(
  tx: Transaction,
  organizationId: string,
  connectorId: string,
  id: number,
  afterUserId: string | undefined,
): Promise<void> {
  const place = [organizationId, connectorId, id];
  if (afterUserId === undefined) {
    await tx.query("delete from account_news where organization_id = $1 and connector_id = $2 and id = $3", place);
    return;
  }
  await tx.query(
    `update account_news
     set after_user_id = $4, due_at = now()
     where organization_id = $1 and connector_id = $2 and id = $3`,
    [...place, afterUserId],
  );
}

/** The next users of an account, in the order of their ids. */
export async function usersOfAccount(
  database: Queryable,
  organizationId: string,
  accountId: string,
  after: string,
  limit: number,
): Promise<string[]> {
  const { rows } = await database.query<{ id: string }>(
    `select id
     from users
     where organization_id = $1 and account_id = $2 and id > $3
     order by id
     limit $4`,
    [organizationId, accountId, after, limit],
  );
  return rows.map(({ id }) => id);
}

/** Removes the news of erased accounts. */
export async function eraseNews(
  database: Queryable,
  organizationId: string,
  accountIds: readonly string[],
): Promise<void> {
  await database.query("delete from account_news where organization_id = $1 and account_id = any($2::text[])", [
    organizationId,
    accountIds,
  ]);
}
