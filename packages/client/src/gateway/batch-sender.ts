import { clientError } from "../client-error.js";
import { deliverBatch } from "./deliver-batch.js";
import type { Destination } from "./destination.js";
import type { PendingEntry } from "./pending-entry.js";

/**
 * The queue of one destination. It sends one batch at a time, so entries arrive in the order they were written. Entries
 * written meanwhile form the next batch, so batches grow with the load.
 */
export class BatchSender {
  readonly #destination: Destination;
  readonly #onIdle: () => void;
  readonly #queue: PendingEntry[] = [];
  #queuedBytes = 0;
  #onTheirWay: readonly PendingEntry[] = [];
  #memoryBytes = 0;
  /** How many entries at the head of the queue must be sent without further delay. */
  #dueCount = 0;
  #isSending = false;
  #delay: NodeJS.Timeout | undefined;
  #haste: NodeJS.Immediate | undefined;
  #newest: PendingEntry | undefined;
  #hasWarnedOfFullQueue = false;

  /** `onIdle` is called each time the last entry has been settled. */
  constructor(destination: Destination, onIdle: () => void) {
    this.#destination = destination;
    this.#onIdle = onIdle;
  }

  /** Entries not settled yet. */
  get pending(): number {
    return this.#queue.length + this.#onTheirWay.filter(({ isSettled }) => !isSettled).length;
  }

  /** Queues the entry. An urgent one is sent at the end of this turn of the event loop, with all entries before it. */
  push(entry: PendingEntry, isUrgent: boolean): void {
    const { maxDelayMs, maxQueueBytes } = this.#destination.batching;
    if (this.#memoryBytes + entry.memoryBytes > maxQueueBytes) {
      this.#refuse(entry);
      return;
    }
    this.#queue.push(entry);
    this.#newest = entry;
    this.#queuedBytes += entry.bytes;
    this.#memoryBytes += entry.memoryBytes;
    if (this.#isFull()) this.#start();
    else if (isUrgent || maxDelayMs === 0) this.#haste ??= setImmediate(() => this.#makeDue());
    // The timer does not keep the process alive: when nothing else does, the queue is flushed before the exit.
    else this.#delay ??= setTimeout(() => this.#makeDue(), maxDelayMs).unref();
  }

  /** Sends what is queued now; resolves when every entry is accepted or rejected. */
  async flush(): Promise<void> {
    this.#makeDue();
    await this.#newest?.promise.catch(() => {});
  }

  #makeDue(): void {
    this.#stopTimers();
    this.#dueCount = this.#queue.length;
    this.#start();
  }

  #start(): void {
    // Not awaited: the loop settles the promise of every entry and never rejects.
    if (!this.#isSending) void this.#send();
  }

  async #send(): Promise<void> {
    this.#isSending = true;
    while (this.#dueCount > 0 || this.#isFull()) {
      const batch = this.#take();
      this.#onTheirWay = batch;
      await deliverBatch(this.#destination, batch);
      this.#onTheirWay = [];
      for (const entry of batch) this.#memoryBytes -= entry.memoryBytes;
    }
    this.#isSending = false;
    if (this.#queue.length === 0) this.#onIdle();
  }

  /** The next batch: at least one entry, then as many as fit. */
  #take(): PendingEntry[] {
    const { maxEntries, maxBytes } = this.#destination.batching;
    const most = Math.min(this.#queue.length, maxEntries);
    let bytes = 0;
    let count = 0;
    while (count < most) {
      const next = bytes + (this.#queue[count]?.bytes ?? 0);
      if (count > 0 && next > maxBytes) break;
      bytes = next;
      count += 1;
    }
    this.#queuedBytes -= bytes;
    this.#dueCount = Math.max(0, this.#dueCount - count);
    const batch = this.#queue.splice(0, count);
    if (this.#queue.length === 0) this.#stopTimers();
    return batch;
  }

  #isFull(): boolean {
    const { maxEntries, maxBytes } = this.#destination.batching;
    return this.#queue.length >= maxEntries || this.#queuedBytes >= maxBytes;
  }

  #stopTimers(): void {
    clearTimeout(this.#delay);
    clearImmediate(this.#haste);
    this.#delay = undefined;
    this.#haste = undefined;
  }

  #refuse(entry: PendingEntry): void {
    const { batching, logger } = this.#destination;
    const reason =
      `${this.pending} entries wait and fill the queue's ${batching.maxQueueBytes} bytes: ` +
      "await the promises of earlier calls, or flush(), before sending more, or raise `batching.maxQueueBytes`.";
    if (!this.#hasWarnedOfFullQueue) logger.error("client.queue.full", { entries: this.pending, reason });
    this.#hasWarnedOfFullQueue = true;
    entry.abandon(clientError("queue_full", reason));
  }
}
