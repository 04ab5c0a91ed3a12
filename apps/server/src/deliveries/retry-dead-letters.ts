import { loadSubjectStates, type SubjectStates, type SubjectStatesOptions } from "../audience/subject-states.js";
import { type StoredMessage, withState } from "../domain/delivery/message.js";
import {
  type DeadLetter,
  type DeadLetterFilter,
  newestDeadLetter,
  readDeadLetters,
  takeDeadLetters,
} from "../storage/postgres/delivery/dead-letters.js";
import { appendToOutbox, type OutgoingBatch, packMessages } from "../storage/postgres/delivery/outbox.js";

export interface RetryOptions extends SubjectStatesOptions {
  onQueued(connectorIds: Iterable<string>): void;
}

// As many as are read, refreshed and queued in one go.
const LETTERS_PER_STEP = 500;

/**
 * Puts dead letters back into the queues of their connectors: the changes and events they told of, about the user or
 * account as it is now. Letters about somebody who is gone are dropped. Returns how many were queued.
 */
export async function retryDeadLetters(
  options: RetryOptions,
  organizationId: string,
  filter: DeadLetterFilter,
): Promise<number> {
  const { database } = options;
  // What dies again while this goes on is left for another time.
  const upTo = await newestDeadLetter(database, organizationId);
  let retried = 0;
  let after = 0;
  for (;;) {
    const range = { after, upTo, limit: LETTERS_PER_STEP };
    const letters = await readDeadLetters(database, organizationId, filter, range);
    const last = letters.at(-1);
    if (!last) return retried;
    after = last.id;
    const states = await loadStates(options, organizationId, letters);
    const queued = await database.transaction(async (tx) => {
      // Somebody else may have taken some of them in the meantime.
      const taken = await takeDeadLetters(tx, organizationId, { ids: letters.map(({ id }) => id) });
      const batches = await toBatches(taken, states);
      await appendToOutbox(tx, organizationId, batches);
      return batches;
    });
    retried += queued.length;
    options.onQueued(new Set(queued.flatMap(({ recipients }) => recipients.map(({ connectorId }) => connectorId))));
  }
}

function loadStates(options: RetryOptions, organizationId: string, letters: readonly DeadLetter[]) {
  const idsOf = (kind: StoredMessage["kind"]) =>
    letters.filter(({ message }) => message.kind === kind).map(({ objectId }) => objectId);
  return loadSubjectStates(options, organizationId, { user: idsOf("user"), account: idsOf("account") });
}

/** One row each: letters of one connector may be for several subscriptions, and their order counts. */
async function toBatches(letters: readonly DeadLetter[], states: SubjectStates): Promise<OutgoingBatch[]> {
  const batches: OutgoingBatch[] = [];
  for (const { connectorId, url, channel, message } of letters) {
    const current = refreshed(message, states);
    if (!current) continue;
    batches.push({
      isExport: false,
      payload: packMessages([current]),
      recipients: [{ connectorId, url, channel, chosen: [0] }],
    });
  }
  return batches;
}

function refreshed(message: StoredMessage, { states }: SubjectStates): StoredMessage | undefined {
  if (message.kind === "notice") return message;
  const state = states[message.kind].get(message.entity.id);
  const accountId = state?.report.account_id;
  const account = typeof accountId === "string" ? states.account.get(accountId) : undefined;
  return state && withState(message, state, account);
}
