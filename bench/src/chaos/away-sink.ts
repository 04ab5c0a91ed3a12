import type { UserUpdateMessage } from "@muster/protocol";
import { Sink } from "./sink.js";

const CROWD = "away-";

/** A connector that is away for a long time. It knows which changes of the crowd it was told, and how often. */
export class AwaySink extends Sink {
  readonly #ids = new Set<string>();
  /** By the number of a user: a bit for each round that it was told. */
  readonly #told: Uint32Array;
  /** By the number of a user: the latest round that a message has shown as its state. */
  readonly #shown: Uint8Array;
  /** Messages that show an older state than one before. */
  readonly older: string[] = [];
  /** Messages that came more than once. */
  readonly doubled: string[] = [];

  constructor(users: number) {
    super();
    this.#told = new Uint32Array(users);
    this.#shown = new Uint8Array(users);
  }

  static nameOf(user: number): string {
    return `${CROWD}${user}`;
  }

  override take({ message_id: id, user, changes }: UserUpdateMessage): void {
    this.messages += 1;
    if (this.#ids.has(id)) {
      this.repeated += 1;
      this.doubled.push(id);
    }
    this.#ids.add(id);
    const name = String(user.external_id);
    if (!name.startsWith(CROWD)) return;
    const number = Number(name.slice(CROWD.length));
    const change = changes.user.traits_round as [unknown, number] | undefined;
    if (change) this.#told[number]! |= 1 << change[1];
    const state = Number(user.traits_round);
    if (state < this.#shown[number]!) this.older.push(`${name}: round ${this.#shown[number]}, then ${state} (${id})`);
    this.#shown[number] = Math.max(state, this.#shown[number]!);
  }

  /** Rounds of users that it was never told. `lastOf` says which round a user has reached. */
  missing(lastOf: (user: number) => number): string[] {
    const missing: string[] = [];
    for (const [user, told] of this.#told.entries()) {
      for (let round = 1; round <= lastOf(user); round++) {
        if ((told & (1 << round)) === 0) missing.push(`${AwaySink.nameOf(user)} round ${round}`);
      }
    }
    return missing;
  }
}
