import { setTimeout as sleep } from "node:timers/promises";
import type { BatchAnswer, BatchEntry } from "@muster/protocol";
import type { Credentials } from "./credentials.js";
import { postBatch, userEntry } from "./entries.js";

/** What must be true of one user after the batches that were acknowledged. */
export interface Expected {
  /** The number of events without an id of their own. */
  events: number;
  /** The ids of events that later ones with the same id replace. */
  overwritten: Set<string>;
  total: number;
  /** The last value of each attribute. */
  last: Map<string, number>;
}

const ENTRIES_PER_BATCH = 24;
const USERS = 40;
const RETRY_MS = 25;
const BATCHES_PER_ATTRIBUTE = 5;

/**
 * Sends one batch after the other until the signal is aborted. A batch without an answer, or with an answer of 5xx, is sent
 * again until it is acknowledged. Then the sender notes what must be true.
 */
export class LoadSender {
  readonly expected = new Map<string, Expected>();
  /** The position of the last batch that was acknowledged. */
  position = "";
  acknowledged = 0;
  resent = 0;
  duplicates = 0;
  readonly #name: string;
  readonly #url: string;
  readonly #credentials: Credentials;

  constructor(name: string, url: string, credentials: Credentials) {
    this.#name = name;
    this.#url = url;
    this.#credentials = credentials;
  }

  async run(signal: AbortSignal): Promise<void> {
    for (let sequence = 1; !signal.aborted; sequence++) {
      const batch = this.#batch(sequence);
      const { position, duplicate } = await this.#deliver(batch);
      this.position = position;
      this.acknowledged += 1;
      if (duplicate) this.duplicates += 1;
      this.#note(sequence);
    }
  }

  /** The name of an attribute that is new every few batches. */
  #newAttribute(sequence: number): string {
    return `${this.#name}_since_${Math.floor(sequence / BATCHES_PER_ATTRIBUTE)}`;
  }

  /** All senders write about the same users, so that they compete. */
  #userOf(sequence: number, index: number): string {
    return `user-${(sequence * 7 + index) % USERS}`;
  }

  #batch(sequence: number): BatchEntry[] {
    return Array.from({ length: ENTRIES_PER_BATCH }, (_, index): BatchEntry => {
      const user = this.#userOf(sequence, index);
      const entry = (type: BatchEntry["type"], body: Record<string, unknown>) =>
        userEntry(this.#credentials, user, type, body);
      const given = { sender: this.#name, sequence, index };
      switch (index % 3) {
        case 0:
          return entry("track", { event: "Loaded", properties: given });
        case 1:
          return entry("track", { event: "Kept", event_id: `${user} ${sequence % 50}`, properties: given });
        default:
          return entry("traits", {
            total: { operation: "inc", value: 1 },
            [`last_${this.#name}`]: sequence,
            [this.#newAttribute(sequence)]: sequence,
          });
      }
    });
  }

  async #deliver(batch: BatchEntry[]): Promise<BatchAnswer> {
    for (;;) {
      const answer = await postBatch(this.#url, this.#credentials, batch)
        .then(async (response) => ({ status: response.status, text: await response.text() }))
        .catch(() => undefined);
      if (answer?.status === 200) return JSON.parse(answer.text) as BatchAnswer;
      if (answer && answer.status < 500) throw new Error(`The batch was refused with ${answer.status}: ${answer.text}`);
      this.resent += 1;
      await sleep(RETRY_MS);
    }
  }

  #note(sequence: number): void {
    for (let index = 0; index < ENTRIES_PER_BATCH; index++) {
      const user = this.#userOf(sequence, index);
      const known = this.expected.get(user) ?? { events: 0, overwritten: new Set(), total: 0, last: new Map() };
      this.expected.set(user, known);
      if (index % 3 === 0) known.events += 1;
      else if (index % 3 === 1) known.overwritten.add(`${user} ${sequence % 50}`);
      else {
        known.total += 1;
        known.last.set(`last_${this.#name}`, sequence);
        known.last.set(this.#newAttribute(sequence), sequence);
      }
    }
  }
}

/** What must be true of each user after the batches of all senders. */
export function combine(senders: readonly LoadSender[]): Map<string, Expected> {
  const all = new Map<string, Expected>();
  for (const { expected } of senders) {
    for (const [user, part] of expected) {
      const known = all.get(user) ?? { events: 0, overwritten: new Set(), total: 0, last: new Map() };
      all.set(user, {
        events: known.events + part.events,
        overwritten: new Set([...known.overwritten, ...part.overwritten]),
        total: known.total + part.total,
        last: new Map([...known.last, ...part.last]),
      });
    }
  }
  return all;
}
