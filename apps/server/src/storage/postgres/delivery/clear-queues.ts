import type { Database } from "../database.js";

// A page takes some 30 ms, and blocks the queueing of new messages for as long.
const ROWS_PER_PAGE = 2_000;

/** Deletes the messages that wait for a connector. */
export function clearQueue(database: Database, organizationId: string, connectorId: string): Promise<void> {
  return clear(database, "outbox", "position", organizationId, connectorId);
}

/** Deletes the news of accounts that a connector has not been told yet. */
export function clearNews(database: Database, organizationId: string, connectorId: string): Promise<void> {
  return clear(database, "account_news", "id", organizationId, connectorId);
}

/**
 * Deletes everything of a connector that may be long: waiting messages, news of accounts and dead letters. Deleting it together
 * with the connector, in one transaction, would hold up the messages of all other connectors of the organization.
 */
export async function clearQueues(database: Database, organizationId: string, connectorId: string): Promise<void> {
  await clearQueue(database, organizationId, connectorId);
  await clearNews(database, organizationId, connectorId);
  await clear(database, "dead_letters", "id", organizationId, connectorId);
}

/** Deletes the newest rows first: a connector that still gets messages misses none between two others. */
async function clear(
  database: Database,
  table: string,
  order: string,
  organizationId: string,
  connectorId: string,
): Promise<void> {
  for (let rows = ROWS_PER_PAGE; rows === ROWS_PER_PAGE; ) {
    const { rowCount } = await database.query(
      `delete from ${table}
       where organization_id = $1 and connector_id = $2
         and ${order} in (
           select ${order} from ${table} where organization_id = $1 and connector_id = $2 order by ${order} desc limit $3
         )`,
      [organizationId, connectorId, ROWS_PER_PAGE],
    );
    rows = rowCount ?? 0;
  }
}
