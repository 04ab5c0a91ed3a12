import { Refusal } from "@muster/protocol";
import type {
  DeadLetterDetails,
  DeadLetterGroup as DeadLetterGroupRecord,
  DeadLetter as DeadLetterRecord,
  DiscardedLetters,
  RetriedLetters,
} from "@muster/protocol/api/dead-letters";
import {
  loadSubjectStates,
  type SubjectStates,
  type SubjectStatesOptions,
} from "../../audience/subjects/subject-states.js";
import type { DeadLetter, DeadLetterFilter, DeadLetterGroup } from "../../domain/delivery/dead-letter.js";
import { editMessage } from "../../domain/delivery/edit-message.js";
import { type StoredMessage, withState } from "../../domain/delivery/message.js";
import type { Database, Transaction } from "../../storage/postgres/database.js";
import {
  countLeft,
  discardDeadLetters,
  editDeadLetter,
  findDeadLetter,
  listDeadLetterGroups,
  listDeadLetters,
  newestDeadLetter,
  nextDeadLetters,
  takeDeadLetters,
} from "../../storage/postgres/delivery/dead-letters.js";
import {
  appendToOutbox,
  compressMessages,
  lockNotifyCursor,
  type MessageBatch,
} from "../../storage/postgres/delivery/outbox.js";

export interface DeadLettersOptions extends SubjectStatesOptions {
  database: Database;
  onQueued(connectorIds: Iterable<string>): void;
}

/** One dead letter with its message, the last request and its answer. */
interface StoredLetterDetails extends DeadLetterDetails {
  message: StoredMessage;
}

// The number of letters that one transaction reads, brings up to date and queues.
const LETTERS_PER_STEP = 500;
const DISCARDED_PER_STEP = 5_000;

/** Messages that could not be delivered: to look at, to send again, to discard. */
export class DeadLetters {
  readonly #options: DeadLettersOptions;

  constructor(options: DeadLettersOptions) {
    this.#options = options;
  }

  /** The dead letters that match, the latest first. */
  async list(
    organizationId: string,
    filter: DeadLetterFilter,
    page: { limit: number; offset: number },
  ): Promise<{ total: number; letters: DeadLetterRecord[] }> {
    const { total, letters } = await listDeadLetters(this.#options.database, organizationId, filter, page);
    return { total, letters: letters.map(deadLetterRecord) };
  }

  /** The dead letter with an id, if it matches the filter. */
  async find(organizationId: string, id: number, filter: DeadLetterFilter): Promise<StoredLetterDetails | undefined> {
    const letter = await findDeadLetter(this.#options.database, organizationId, id, filter);
    if (!letter) return undefined;
    const { request, answer, message, url } = letter;
    return { ...deadLetterRecord(letter), url, request, answer, message };
  }

  /** The matching dead letters, grouped by cause, the largest groups first. */
  async groups(
    organizationId: string,
    filter: DeadLetterFilter,
    page: { limit: number; offset: number },
  ): Promise<{ total: number; groups: DeadLetterGroupRecord[] }> {
    const { total, groups } = await listDeadLetterGroups(this.#options.database, organizationId, filter, page);
    return { total, groups: groups.map(groupRecord) };
  }

  /**
   * Replaces the message of a dead letter with what a person has made of it. An edited message is sent as it is: it does
   * not get the present state of its user or account. Undefined when there is no such letter.
   */
  async edit(
    organizationId: string,
    id: number,
    filter: DeadLetterFilter,
    { message, by }: { message: unknown; by: string },
  ): Promise<StoredLetterDetails | undefined> {
    const letter = await this.find(organizationId, id, filter);
    if (!letter) return undefined;
    const edit = { before: letter.message, after: editMessage(letter.message, message), by };
    if (!(await editDeadLetter(this.#options.database, organizationId, id, edit))) {
      throw new Refusal("conflict", "The message was changed or sent by somebody else meanwhile.");
    }
    return this.find(organizationId, id, filter);
  }

  /**
   * Discards the dead letters that match for good, some at a time. `limit` ends the run after so many. Returns how many
   * were discarded and, with a limit, how many letters that match are left.
   */
  async discard(organizationId: string, filter: DeadLetterFilter, limit?: number): Promise<DiscardedLetters> {
    const { database } = this.#options;
    const upTo = await newestDeadLetter(database, organizationId);
    let discarded = 0;
    let after = 0;
    while (limit === undefined || discarded < limit) {
      const most = Math.min(DISCARDED_PER_STEP, (limit ?? Number.POSITIVE_INFINITY) - discarded);
      const gone = await discardDeadLetters(database, organizationId, filter, { after, upTo, limit: most });
      if (gone.last === undefined) return { discarded, ...(limit === undefined ? {} : { left: 0 }) };
      after = gone.last;
      discarded += gone.discarded;
    }
    return { discarded, left: await countLeft(database, organizationId, withEnd(filter, upTo)) };
  }

  /**
   * Puts the dead letters that match back into the queues of their connectors. Each has the same changes and events as
   * before, and the user or account as it is now; one that was edited is sent as it is. Letters about a user or account
   * that no longer exists are dropped. `limit` ends the run after so many letters: a screen shows its progress that way.
   * Returns how many were queued and, with a limit, how many letters that match are left.
   */
  async retry(organizationId: string, filter: DeadLetterFilter, limit?: number): Promise<RetriedLetters> {
    const { database, onQueued } = this.#options;
    // Messages that become dead letters again meanwhile are not retried in the same run: it would never end.
    const upTo = await newestDeadLetter(database, organizationId);
    let retried = 0;
    let after = 0;
    for (let done = 0; limit === undefined || done < limit; ) {
      const range = { after, upTo, limit: Math.min(LETTERS_PER_STEP, (limit ?? Number.POSITIVE_INFINITY) - done) };
      const ids = await nextDeadLetters(database, organizationId, filter, range);
      const last = ids.at(-1);
      if (last === undefined) return { retried, ...(limit === undefined ? {} : { left: 0 }) };
      after = last;
      done += ids.length;
      const queued = await database.transaction(async (tx) => {
        // Between reading a state and the commit, no message with a newer state may be queued.
        await lockNotifyCursor(tx, organizationId);
        // Another request may have queued some of these letters since they were read.
        const taken = await takeDeadLetters(tx, organizationId, ids);
        const batches = toBatches(taken, await this.#loadStates(tx, organizationId, taken));
        await appendToOutbox(tx, organizationId, batches);
        return batches;
      });
      const recipients = queued.flatMap((batch) => batch.recipients);
      retried += recipients.reduce((sum, { chosen }) => sum + chosen.length, 0);
      onQueued(new Set(recipients.map(({ connectorId }) => connectorId)));
    }
    return { retried, left: await countLeft(database, organizationId, withEnd(filter, upTo)) };
  }

  #loadStates(tx: Transaction, organizationId: string, letters: readonly DeadLetter[]): Promise<SubjectStates> {
    const idsOf = (kind: StoredMessage["kind"]) =>
      letters.filter(({ message }) => message.kind === kind).map(({ objectId }) => objectId);
    const options = { ...this.#options, database: tx };
    return loadSubjectStates(options, organizationId, { user: idsOf("user"), account: idsOf("account") });
  }
}

/** A batch for each row of letters of one connector to the same subscription: the letters of a connector stay in order. */
function toBatches(letters: readonly DeadLetter[], states: SubjectStates): MessageBatch[] {
  const batches: { connectorId: string; url: string; channel: string; messages: StoredMessage[] }[] = [];
  const lastOf = new Map<string, (typeof batches)[number]>();
  for (const { connectorId, url, channel, message, edit } of letters) {
    const present = withPresentState(message, states);
    const current = present && edit ? message : present;
    if (!current) continue;
    const last = lastOf.get(connectorId);
    if (last?.url === url && last.channel === channel) {
      last.messages.push(current);
      continue;
    }
    const batch = { connectorId, url, channel, messages: [current] };
    batches.push(batch);
    lastOf.set(connectorId, batch);
  }
  return batches.map(({ messages, ...recipient }) => ({
    isExport: false,
    payload: compressMessages(messages),
    recipients: [{ ...recipient, chosen: messages.map((_, index) => index) }],
  }));
}

/** The same filter for letters up to an id. */
function withEnd(filter: DeadLetterFilter, upTo: number): DeadLetterFilter {
  return { ...filter, upTo: Math.min(upTo, filter.upTo ?? upTo) };
}

function withPresentState(message: StoredMessage, { states }: SubjectStates): StoredMessage | undefined {
  if (message.kind === "notice") return message;
  const state = states[message.kind].get(message.entity.id);
  const accountId = state?.report.account_id;
  const account = typeof accountId === "string" ? states.account.get(accountId) : undefined;
  return state && withState(message, state, account);
}

function deadLetterRecord(letter: DeadLetter): DeadLetterRecord {
  return {
    id: letter.id,
    connector_id: letter.connectorId,
    channel: letter.channel,
    entity_id: letter.objectId,
    reason: letter.reason,
    attempts: letter.attempts,
    created_at: letter.createdAt.toISOString(),
    cause: letter.cause,
    edited_by: letter.edit?.by ?? null,
    edited_at: letter.edit?.at.toISOString() ?? null,
  };
}

function groupRecord(group: DeadLetterGroup): DeadLetterGroupRecord {
  return {
    connector_id: group.connectorId,
    cause: group.cause,
    letters: group.letters,
    first_at: group.firstAt.toISOString(),
    last_at: group.lastAt.toISOString(),
    newest_id: group.newestId,
  };
}
