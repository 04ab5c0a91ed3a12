import { Refusal } from "@muster/protocol";
import { type Caller, isEndUser } from "../auth/caller.js";

// A reader that waits holds a connection. Tokens of end users are public, so end users must not use up all places of
// their organization.
const MAX_WAITING = 1_000;
const MAX_WAITING_OF_ORGANIZATION = 200;
const MAX_WAITING_END_USERS = 100;
const RETRY_AFTER_SECONDS = 1;

/** Counts the readers that wait for a position and the users who sign in, and refuses those that are too many. */
export class WaitingReaders {
  readonly #counts = new Map<string, number>();
  #total = 0;

  /** Runs `wait` as one of the waiting readers. */
  async count<Result>(caller: Caller, wait: () => Promise<Result>): Promise<Result> {
    const { id } = caller.organization;
    const keys = isEndUser(caller) ? [id, `${id} end users`] : [id];
    if (this.#total >= MAX_WAITING) {
      throw new Refusal("unavailable", "Too many requests wait for a position.", { retryAfter: RETRY_AFTER_SECONDS });
    }
    const limits = [MAX_WAITING_OF_ORGANIZATION, MAX_WAITING_END_USERS];
    if (keys.some((key, index) => this.#countOf(key) >= limits[index]!)) {
      throw new Refusal("too_many_requests", "Too many requests of this organization wait for a position.", {
        retryAfter: RETRY_AFTER_SECONDS,
      });
    }
    this.#add(keys, 1);
    try {
      return await wait();
    } finally {
      this.#add(keys, -1);
    }
  }

  #countOf(key: string): number {
    return this.#counts.get(key) ?? 0;
  }

  #add(keys: readonly string[], by: 1 | -1): void {
    this.#total += by;
    for (const key of keys) {
      const count = this.#countOf(key) + by;
      if (count === 0) this.#counts.delete(key);
      else this.#counts.set(key, count);
    }
  }
}
