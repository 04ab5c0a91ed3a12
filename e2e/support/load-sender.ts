import { setTimeout as sleep } from "node:timers/promises";
import { type BatchAnswer, type BatchEntry, createBrand, signToken } from "@muster/protocol";

const { headers: names, claims } = createBrand();

export interface Credentials {
  id: string;
  secret: string;
}

/** What the senders know to be true of one user, from the batches that were acknowledged. */
export interface Expected {
  events: number;
  overwritten: Set<string>;
  total: number;
  /** The last value that was written of each attribute. */
  last: Map<string, number>;
}

const ENTRIES_PER_BATCH = 24;
const USERS = 40;
const RETRY_MS = 25;
const BATCHES_PER_ATTRIBUTE = 5;

/**
 * Sends batches one after the other until told to stop. A batch without an answer, or with a server's error, is sent
 * again as it is until it is acknowledged; what must then be true is noted.
 */
export class LoadSender {
  readonly expected = new Map<string, Expected>();
  /** The position of the last batch acknowledged. */
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

  /** An attribute that nobody has seen before, every few batches. */
  #newAttribute(sequence: number): string {
    return `${this.#name}_since_${Math.floor(sequence / BATCHES_PER_ATTRIBUTE)}`;
  }

  /** Every sender goes round the same users, so that they meet. */
  #userOf(sequence: number, index: number): string {
    return `user-${(sequence * 7 + index) % USERS}`;
  }

  #batch(sequence: number): BatchEntry[] {
    return Array.from({ length: ENTRIES_PER_BATCH }, (_, index): BatchEntry => {
      const user = this.#userOf(sequence, index);
      const given = { sender: this.#name, sequence, index };
      switch (index % 3) {
        case 0:
          return this.#entry("track", user, { event: "Loaded", properties: given });
        case 1:
          return this.#entry("track", user, { event: "Kept", event_id: `${user} ${sequence % 50}`, properties: given });
        default:
          return this.#entry("traits", user, {
            total: { operation: "inc", value: 1 },
            [`last_${this.#name}`]: sequence,
            [this.#newAttribute(sequence)]: sequence,
          });
      }
    });
  }

  #entry(type: BatchEntry["type"], user: string, body: Record<string, unknown>): BatchEntry {
    const { id, secret } = this.#credentials;
    const token = signToken(
      { iss: id, iat: 1, [claims.subjectType]: "user", [claims.asUser]: { external_id: user } },
      secret,
    );
    return { type, timestamp: new Date().toISOString(), headers: { [names.accessToken]: token }, body };
  }

  async #deliver(batch: BatchEntry[]): Promise<BatchAnswer> {
    for (;;) {
      const now = new Date().toISOString();
      const answer = await fetch(`${this.#url}/firehose`, {
        method: "POST",
        headers: {
          [names.appId]: this.#credentials.id,
          [names.accessToken]: this.#credentials.secret,
          "content-type": "application/json",
        },
        body: JSON.stringify({ batch, timestamp: now, sentAt: now }),
      })
        .then(
          async (response) => ({ status: response.status, text: await response.text() }),
          () => undefined,
        )
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

/** What all senders together know of each user. */
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
