import type { Lane } from "../../../domain/entries/lanes.js";
import { LaneReader } from "./lane-reader.js";
import { subjectOf } from "./log-streams.js";
import type { NatsClient } from "./nats-client.js";

// A reader costs NATS a consumer and this process some memory.
const IDLE_MS = 30_000;

/** The readers of the lanes that this process works on. One that is not used for a while is closed. */
export class LaneReaders {
  readonly #client: NatsClient;
  readonly #readers = new Map<string, LaneReader>();
  readonly #timer: NodeJS.Timeout;

  constructor(client: NatsClient) {
    this.#client = client;
    this.#timer = setInterval(() => this.#closeIdle(), IDLE_MS / 2);
    this.#timer.unref();
  }

  of(stream: string, organizationId: string, lane: Lane): LaneReader {
    const subject = subjectOf(stream, organizationId, lane);
    const reader = this.#readers.get(subject) ?? new LaneReader(this.#client, { stream, subject });
    this.#readers.set(subject, reader);
    return reader;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all([...this.#readers.values()].map((reader) => reader.close()));
    this.#readers.clear();
  }

  #closeIdle(): void {
    const before = performance.now() - IDLE_MS;
    for (const [subject, reader] of this.#readers) {
      if (reader.usedAt >= before) continue;
      this.#readers.delete(subject);
      void reader.close();
    }
  }
}
