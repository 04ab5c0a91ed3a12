import type { MessageTries } from "../../domain/delivery/after-plain-call.js";
import { objectIdOf, type StoredMessage } from "../../domain/delivery/message.js";
import { ObjectQueues, type WaitingMessage } from "../../domain/delivery/object-queues.js";
import type { Queryable } from "../../storage/postgres/database.js";
import { type QueueProgress, type QueueRow, readQueue } from "../../storage/postgres/delivery/outbox.js";
import type { MessageCache } from "./message-cache.js";

/** A message to send in a call of its own. */
export interface SingleMessage extends WaitingMessage {
  row: QueueRow;
}

/** What became of a message: it is done with, or it waits for its next attempt. */
export interface Settled {
  message: SingleMessage;
  again?: MessageTries;
}

// A row has up to 500 messages. They are kept by their ids, so that some thousand take little memory.
const ROWS_PER_READ = 10;
/** Stops reading rows while so many messages are in memory. Only messages that wait for an earlier one reach this number. */
const MOST_KNOWN = 5_000;
/** A stored pause that is longer than this was computed with a clock that ran ahead. */
const LONGEST_PAUSE_MS = 24 * 3_600_000;

/** The queue of a connector that gets each message in a call of its own. Only the process with its lease may use it. */
export class PlainQueue {
  readonly #database: Queryable;
  readonly #cache: MessageCache;
  readonly #organizationId: string;
  readonly #connectorId: string;
  #rows = new Map<number, QueueRow>();
  #queues = new ObjectQueues<SingleMessage>();

  constructor(database: Queryable, cache: MessageCache, organizationId: string, connectorId: string) {
    this.#database = database;
    this.#cache = cache;
    this.#organizationId = organizationId;
    this.#connectorId = connectorId;
  }

  /** The next messages that can be sent now, `max` at most. No other message about their objects is sent meanwhile. */
  async take(max: number, now: number): Promise<SingleMessage[]> {
    this.#queues.endPauses(now);
    while (this.#queues.readyCount < max && this.#queues.size < MOST_KNOWN) {
      if ((await this.#read(now)) < ROWS_PER_READ) break;
    }
    return this.#queues.take(max);
  }

  async contentOf({ row, place }: SingleMessage): Promise<StoredMessage> {
    const batch = await this.#cache.read(this.#organizationId, row.batchId);
    return batch[place]!;
  }

  /** When the next retry is due; undefined when no message waits for a retry. */
  nextAt(): number | undefined {
    return this.#queues.nextAt();
  }

  /** Shortens all pauses after the clock was set back. */
  shift(ms: number): void {
    this.#queues.shift(ms);
  }

  /** What must be stored for messages that were taken. */
  progressOf(settled: readonly Settled[]): Required<Pick<QueueProgress, "done" | "rewritten">> {
    const byRow = new Map<QueueRow, Settled[]>();
    for (const each of settled) byRow.set(each.message.row, [...(byRow.get(each.message.row) ?? []), each]);
    const done: number[] = [];
    const rewritten: QueueRow[] = [];
    for (const [row, messages] of byRow) {
      const after = withSettled(row, messages);
      if (after.chosen.length === 0) done.push(row.position);
      else rewritten.push(after);
    }
    return { done, rewritten: rewritten.map(({ position, chosen, tries }) => ({ position, chosen, tries })) };
  }

  /** Updates the memory after a save. */
  settle(settled: readonly Settled[]): void {
    for (const { message, again } of settled) {
      const { row } = message;
      Object.assign(row, withSettled(row, [{ message, ...(again ? { again } : {}) }]));
      if (row.chosen.length === 0) this.#rows.delete(row.position);
      if (again) this.#queues.pause(message, again.notBefore);
      else this.#queues.remove(message);
    }
  }

  /** Gives back a message that was taken, for an attempt at a later time. */
  giveBack(message: SingleMessage, until: number): void {
    this.#queues.pause(message, until);
  }

  /** Drops everything in memory, because other code may have changed the queue. No message may be in flight. */
  forget(): void {
    this.#rows = new Map();
    this.#queues = new ObjectQueues();
  }

  /** Reads the next rows. Returns how many there were. */
  async #read(now: number): Promise<number> {
    const known = [...this.#rows.keys()];
    const rows = await readQueue(this.#database, this.#organizationId, this.#connectorId, ROWS_PER_READ, known);
    const batches = await Promise.all(rows.map(({ batchId }) => this.#cache.read(this.#organizationId, batchId)));
    for (const [index, row] of rows.entries()) {
      row.chosen = row.chosen.slice(row.sent);
      row.sent = 0;
      this.#rows.set(row.position, row);
      for (const place of row.chosen) {
        const objectId = objectIdOf(batches[index]![place]!);
        const notBefore = Math.min(row.tries[place]?.notBefore ?? 0, now + LONGEST_PAUSE_MS);
        this.#queues.add({ position: row.position, place, objectId, row }, notBefore);
      }
    }
    return rows.length;
  }
}

function withSettled(row: QueueRow, settled: readonly Settled[]): QueueRow {
  const left = new Set(row.chosen);
  const tries = { ...row.tries };
  for (const { message, again } of settled) {
    if (again) tries[message.place] = again;
    else {
      left.delete(message.place);
      delete tries[message.place];
    }
  }
  return { ...row, chosen: [...left], tries };
}
