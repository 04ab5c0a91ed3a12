import type { StoredMessage } from "../../domain/delivery/message.js";
import type { Queryable } from "../../storage/postgres/database.js";
import { type QueueProgress, type QueueRow, readQueue } from "../../storage/postgres/delivery/outbox.js";
import type { MessageCache } from "./message-cache.js";

/** The next messages of a queue that can be sent in one call. */
export interface QueueHead {
  url: string;
  channel: string;
  isExport: boolean;
  messages: StoredMessage[];
  /** When each message was created. */
  madeAt: Date[];
  /** The id of the first message in the queue, by which attempts are counted. */
  firstId: string;
  /** No later message can be added to this call, so there is no reason to wait for more. */
  isComplete: boolean;
  /** How long the call waits in any case, in milliseconds. There are no messages before that. */
  waitMs: number;
}

const ROWS_PER_READ = 200;

/** The queue of one connector, with its first rows in memory. Only the process that holds its lease may use it. */
export class ConnectorQueue {
  readonly #database: Queryable;
  readonly #cache: MessageCache;
  readonly #organizationId: string;
  readonly #connectorId: string;
  #rows: QueueRow[] = [];

  constructor(database: Queryable, cache: MessageCache, organizationId: string, connectorId: string) {
    this.#database = database;
    this.#cache = cache;
    this.#organizationId = organizationId;
    this.#connectorId = connectorId;
  }

  /** Whether `head` can answer from memory, without reading rows. */
  has(max: number): boolean {
    return this.#rows.reduce((sum, { chosen, sent }) => sum + chosen.length - sent, 0) >= max;
  }

  /** The first messages, up to `max`, all for one subscription and channel; undefined when the queue is empty. */
  async head(max: number): Promise<QueueHead | undefined> {
    // Read from the start every time: rows that are committed late may belong before the ones in memory.
    if (!this.has(max)) {
      this.#rows = await readQueue(this.#database, this.#organizationId, this.#connectorId, ROWS_PER_READ);
    }
    const [first] = this.#rows;
    if (!first) return undefined;
    const messages: StoredMessage[] = [];
    const madeAt: Date[] = [];
    let isComplete = false;
    for (const row of this.#rows) {
      isComplete = messages.length >= max || !goesWith(row, first);
      if (isComplete) break;
      const batch = await this.#cache.read(this.#organizationId, row.batchId);
      const rest = row.chosen.slice(row.sent, row.sent + max - messages.length);
      for (const place of rest) {
        messages.push(batch[place]!);
        madeAt.push(row.createdAt);
      }
    }
    const { url, channel, isExport } = first;
    const firstId = messages[0]?.message_id ?? "";
    const isFull = isComplete || messages.length >= max;
    return { url, channel, isExport, messages, madeAt, firstId, isComplete: isFull, waitMs: 0 };
  }

  /** How many messages of the queue the first `count` messages of the head consist of: each is one of them. */
  queued(count: number): number {
    return count;
  }

  /** How many messages of the queue one message of the head consists of. */
  partsOf(_index: number): number {
    return 1;
  }

  /** Prefetches the batches of the next call into the cache while the first `count` messages are being sent. */
  async readAhead(count: number, max: number): Promise<void> {
    let passed = 0;
    for (const { chosen, sent, batchId } of this.#rows) {
      if (passed >= count + max) return;
      passed += chosen.length - sent;
      if (passed > count) await this.#cache.read(this.#organizationId, batchId);
    }
  }

  /** Moves on by `count` messages. Returns what must be stored for that. */
  advance(count: number): Pick<QueueProgress, "done" | "partial"> {
    const done: number[] = [];
    let rest = count;
    for (const row of this.#rows) {
      const waiting = row.chosen.length - row.sent;
      if (rest < waiting) break;
      rest -= waiting;
      done.push(row.position);
    }
    this.#rows = this.#rows.slice(done.length);
    const [row] = this.#rows;
    if (rest === 0 || !row) return { done };
    row.sent += rest;
    return { done, partial: { position: row.position, sent: row.sent } };
  }

  /** Drops the rows in memory, because other code may have changed the queue. */
  forget(): void {
    this.#rows = [];
  }
}

/** Whether the messages of two rows can be sent in one call. */
export function goesWith(row: QueueRow, first: QueueRow): boolean {
  return row.url === first.url && row.channel === first.channel && row.isExport === first.isExport;
}
