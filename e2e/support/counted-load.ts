import { randomUUID } from "node:crypto";
import type { BatchAnswer } from "@muster/protocol";
import type { Credentials } from "./credentials.js";
import { postBatch, userEntry } from "./entries.js";

interface SentBatch {
  position: string;
  users: string[];
}

const USERS = 30;
const USERS_PER_BATCH = 5;

/** What must be true of all users together after some of the batches. */
export interface Counts {
  /** How often each user was counted, by external id. */
  totals: Record<string, number>;
  events: number;
}

/** Sends batches one after the other and notes at which position each of them is, until the signal is aborted. */
export class CountedLoad {
  readonly sent: SentBatch[] = [];
  readonly #url: string;
  readonly #credentials: Credentials;
  // Two loads may send the same at the same millisecond, and equal events of one user are one event.
  readonly #name = randomUUID();

  constructor(url: string, credentials: Credentials) {
    this.#url = url;
    this.#credentials = credentials;
  }

  async run(signal: AbortSignal): Promise<void> {
    for (let sequence = 0; !signal.aborted; sequence++) {
      const users = Array.from({ length: USERS_PER_BATCH }, (_, n) => `user-${(sequence * 7 + n) % USERS}`);
      const entries = users.flatMap((user) => [
        userEntry(this.#credentials, user, "traits", { total: { operation: "inc", value: 1 } }),
        userEntry(this.#credentials, user, "track", { event: "Counted", properties: { sequence, load: this.#name } }),
      ]);
      const answer = await postBatch(this.#url, this.#credentials, entries);
      if (answer.status !== 200) throw new Error(`A batch was answered with ${answer.status}.`);
      this.sent.push({ position: ((await answer.json()) as BatchAnswer).position, users });
    }
  }

  /** What the batches up to a position add up to. */
  countsAt(position: string): Counts {
    const totals: Record<string, number> = {};
    let events = 0;
    for (const batch of this.sent.filter((one) => isReached(one.position, position))) {
      for (const user of batch.users) totals[user] = (totals[user] ?? 0) + 1;
      events += batch.users.length;
    }
    return { totals, events };
  }
}

/** Whether a position such as `a1.l12` has a number in each lane that is at least that of another one. */
function isReached(wanted: string, reached: string): boolean {
  const lanes = (position: string) =>
    position.split(".").map((part) => [part[0] ?? "", Number(part.slice(1))] as const);
  const found = new Map(lanes(reached));
  return lanes(wanted).every(([lane, number]) => (found.get(lane) ?? 0) >= number);
}
