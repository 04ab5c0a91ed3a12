import type { Database } from "../../storage/postgres/database.js";
import { lockOldPage, type OldQueue, removeGivenUp } from "../../storage/postgres/delivery/old-messages.js";
import type { WorkLease } from "../../storage/postgres/leases/work-lease.js";
import { type Abandoned, saveLetters } from "./save-letters.js";

/**
 * Makes dead letters of the first messages in a queue that were queued before a time: a page of them, in one transaction.
 * Returns how many rows of the queue are gone, and how many messages. Nothing may be calling the connector.
 */
export function giveUpPage(
  database: Database,
  { organizationId, connectorId, before }: OldQueue,
  lease: WorkLease,
  why: Abandoned,
): Promise<{ rows: number; messages: number }> {
  return database.transaction(async (tx) => {
    await lease.confirm(tx);
    const { positions, messages } = await lockOldPage(tx, organizationId, connectorId, before);
    if (positions.length === 0) return { rows: 0, messages: 0 };
    const abandoned = messages.map((message) => ({ ...message, call: why }));
    const letters = await saveLetters(tx, { organizationId, connectorId }, abandoned);
    await removeGivenUp(tx, organizationId, connectorId, positions, letters);
    return { rows: positions.length, messages: letters };
  });
}
