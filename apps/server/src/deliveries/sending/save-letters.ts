import { causeOf } from "../../domain/delivery/cause-of.js";
import type { FailedCall } from "../../domain/delivery/dead-letter.js";
import { eraseFromMessage, isErased, subjectsOfMessage } from "../../domain/delivery/erase-from-message.js";
import { objectIdOf, type StoredMessage } from "../../domain/delivery/message.js";
import { findErased } from "../../storage/postgres/changes/erasures.js";
import type { Transaction } from "../../storage/postgres/database.js";
import { saveDeadLetters } from "../../storage/postgres/delivery/dead-letters.js";

/** Why messages are given up together. */
export type Abandoned = Omit<FailedCall, "attempts">;

/** A message that is given up. Messages that are given up for one reason share the object that says why. */
export interface AbandonedMessage {
  url: string;
  channel: string;
  message: StoredMessage;
  attempts: number;
  call: Abandoned;
}

/** Makes dead letters of messages, without subjects that were erased meanwhile. Returns how many letters there are. */
export async function saveLetters(
  tx: Transaction,
  { organizationId, connectorId }: { organizationId: string; connectorId: string },
  messages: readonly AbandonedMessage[],
): Promise<number> {
  const subjects = messages.flatMap(({ message }) => subjectsOfMessage(message));
  const erased = await findErased(tx, organizationId, subjects);
  const letters = messages
    .filter(({ message }) => !isErased(message, erased))
    .map(({ message, ...rest }) => ({
      ...rest,
      objectId: objectIdOf(message),
      message: eraseFromMessage(message, erased),
    }));
  const calls = new Map(letters.map(({ call }) => [call, { ...call, cause: causeOf(call) }]));
  const caused = letters.map(({ call, ...letter }) => ({ ...letter, call: calls.get(call)! }));
  await saveDeadLetters(tx, organizationId, connectorId, caused);
  return letters.length;
}
