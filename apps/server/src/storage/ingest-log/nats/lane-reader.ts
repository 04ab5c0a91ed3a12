import { setImmediate as nextTurn } from "node:timers/promises";
import { type ConsumerMessages, DeliverPolicy, type JsMsg } from "@nats-io/jetstream";
import { decompressedSize } from "../../logs/compression.js";
import type { BatchLimits } from "../log-batch.js";
import { decodeMessage, type LogMessage } from "./log-message.js";
import type { NatsClient } from "./nats-client.js";

export interface ReadMessage extends LogMessage {
  /** Its sequence in the stream. */
  seq: number;
  /** The size of the entries as JSON, about. */
  bytes: number;
}

// Messages in memory of one reader: those that were asked for, and those that have come. The first must hold the largest
// message, even when only a quarter is asked for again.
const ASKED_BYTES = 8 * 1024 * 1024;
const HELD_BYTES = 4 * 1024 * 1024;

/** Reads the messages of one subject in their order, some ahead of those that are asked for. */
export class LaneReader {
  readonly #client: NatsClient;
  readonly #stream: string;
  readonly #subject: string;
  #messages: ConsumerMessages | undefined;
  /** Every message of the subject after this sequence is in memory or will arrive. */
  #after = 0;
  #held: ReadMessage[] = [];
  #heldBytes = 0;
  #failure: unknown;
  #onChange: (() => void) | undefined;
  #onRoom: (() => void) | undefined;
  #generation = 0;
  /** When it was last read from, for its owner. */
  usedAt = performance.now();

  constructor(client: NatsClient, { stream, subject }: { stream: string; subject: string }) {
    this.#client = client;
    this.#stream = stream;
    this.#subject = subject;
  }

  /** The messages after a sequence, up to the limits and at least one. Empty when none has come within the time. */
  async read(after: number, { maxEntries, maxBytes }: BatchLimits, waitMs: number): Promise<ReadMessage[]> {
    this.usedAt = performance.now();
    if (!this.#messages || after < this.#after) await this.#restart(after);
    this.#forget(after);
    const deadline = performance.now() + waitMs;
    while (this.#held.length === 0) {
      if (this.#failure !== undefined) {
        const failure = this.#failure;
        await this.close();
        throw failure;
      }
      const left = deadline - performance.now();
      if (left <= 0) return [];
      await this.#change(left);
      // Messages arrive several at a time, and a small micro-batch costs nearly as much as a large one.
      await nextTurn();
      this.#forget(after);
    }
    let entries = 0;
    let bytes = 0;
    const count = this.#held.findIndex((message) => {
      if (entries >= maxEntries || bytes >= maxBytes) return true;
      entries += message.entryCount;
      bytes += message.bytes;
      return false;
    });
    return count === -1 ? [...this.#held] : this.#held.slice(0, count);
  }

  async close(): Promise<void> {
    this.#generation += 1;
    const messages = this.#messages;
    this.#messages = undefined;
    this.#held = [];
    this.#heldBytes = 0;
    this.#failure = undefined;
    this.#onRoom?.();
    this.#onChange?.();
    await messages?.close().catch(() => {});
  }

  async #restart(after: number): Promise<void> {
    await this.close();
    const { js } = await this.#client.use();
    // An ordered consumer: the library requests lost messages again.
    const consumer = await js.consumers.get(this.#stream, {
      filter_subjects: this.#subject,
      deliver_policy: DeliverPolicy.StartSequence,
      opt_start_seq: after + 1,
    });
    this.#after = after;
    const messages = await consumer.consume({ max_bytes: ASKED_BYTES });
    this.#messages = messages;
    void this.#take(messages, this.#generation);
  }

  async #take(messages: ConsumerMessages, generation: number): Promise<void> {
    try {
      for await (const message of messages) {
        if (generation !== this.#generation) return;
        this.#hold(message);
        while (this.#heldBytes > HELD_BYTES && generation === this.#generation) {
          await new Promise<void>((resolve) => {
            this.#onRoom = resolve;
          });
        }
      }
      if (generation === this.#generation) this.#fail(new Error("NATS has ended the reading of the ingestion log."));
    } catch (error) {
      if (generation === this.#generation) this.#fail(error);
    }
  }

  #hold(message: JsMsg): void {
    if (message.seq <= this.#after) return;
    const decoded = decodeMessage(message.headers, message.data);
    const read = { ...decoded, seq: message.seq, bytes: decompressedSize(decoded.payload) };
    this.#held.push(read);
    this.#heldBytes += read.payload.length;
    this.#onChange?.();
  }

  #fail(error: unknown): void {
    this.#failure = error;
    this.#onChange?.();
  }

  #forget(after: number): void {
    let count = 0;
    while (count < this.#held.length && this.#held[count]!.seq <= after) {
      this.#heldBytes -= this.#held[count]!.payload.length;
      count += 1;
    }
    this.#held.splice(0, count);
    this.#after = Math.max(this.#after, after);
    if (this.#heldBytes <= HELD_BYTES) this.#onRoom?.();
  }

  /** Waits until a message comes or reading fails, for a time at most. */
  async #change(limitMs: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, limitMs);
      this.#onChange = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#onChange = undefined;
  }
}
