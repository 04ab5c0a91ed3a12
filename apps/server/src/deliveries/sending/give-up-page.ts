import { causeOf } from "../../domain/delivery/cause-of.js";
import type { FailedCall } from "../../domain/delivery/dead-letter.js";
import { eraseFromMessage, isErased, subjectsOfMessage } from "../../domain/delivery/erase-from-message.js";
import { objectIdOf } from "../../domain/delivery/message.js";
import { findErased } from "../../storage/postgres/changes/erasures.js";
import type { Database } from "../../storage/postgres/database.js";
import { saveDeadLetters } from "../../storage/postgres/delivery/dead-letters.js";
import { lockOldPage, type OldQueue, removeGivenUp } from "../../storage/postgres/delivery/old-messages.js";
import type { WorkLease } from "../../storage/postgres/leases/work-lease.js";

/** Why messages are given up together. */
export type Abandoned = Omit<FailedCall, "attempts">;

/**
 * Makes dead letters of the first messages in a queue that were queued before a time: a page of them, in one transaction.
 * Returns how many rows of the queue are gone, and how many messages. Nothing may be calling the connector.
 */
export function giveUpPage(
  database: Database,
  { organizationId, connectorId, before }: OldQueue,
  lease: WorkLease,
  { reason, ...call }: Abandoned,
): Promise<{ rows: number; messages: number }> {
  return database.transaction(async (tx) => {
    await lease.confirm(tx);
    const { positions, messages } = await lockOldPage(tx, organizationId, connectorId, before);
    if (positions.length === 0) return { rows: 0, messages: 0 };
    const erased = await findErased(
      tx,
      organizationId,
      messages.flatMap(({ message }) => subjectsOfMessage(message)),
    );
    const letters = messages
      .filter(({ message }) => !isErased(message, erased))
      .map(({ message, ...rest }) => ({
        ...rest,
        objectId: objectIdOf(message),
        message: eraseFromMessage(message, erased),
      }));
    const failedCall = { ...call, reason, cause: causeOf({ reason, answer: call.answer }) };
    await saveDeadLetters(tx, organizationId, connectorId, letters, failedCall);
    await removeGivenUp(tx, organizationId, connectorId, positions, letters.length);
    return { rows: positions.length, messages: letters.length };
  });
}
