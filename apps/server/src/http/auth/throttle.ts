/**
 * Counts per key in windows of one minute. It counts at most `MAX_KEYS` keys, so that an attacker cannot fill the
 * memory.
 */
export class Throttle {
  readonly #limit: number;
  readonly #counts = new Map<string, number>();
  #windowStartedAt = 0;

  constructor(limitPerMinute: number) {
    this.#limit = limitPerMinute;
  }

  /** The seconds to wait when `key` has reached the limit in this window, else 0. */
  retryAfter(key: string, now: number): number {
    this.#startNewWindowIfDue(now);
    const used = this.#counts.get(key) ?? 0;
    // In this order, because a sum of large times is rounded: an address would wait for 61 seconds.
    const left = WINDOW_MS - (now - this.#windowStartedAt);
    return used < this.#limit ? 0 : Math.max(1, Math.ceil(left / 1_000));
  }

  count(key: string, now: number, by = 1): void {
    this.#startNewWindowIfDue(now);
    if (this.#counts.size < MAX_KEYS || this.#counts.has(key)) this.#counts.set(key, (this.#counts.get(key) ?? 0) + by);
  }

  /** Takes one count back, if it was in this window. */
  uncount(key: string, now: number): void {
    this.#startNewWindowIfDue(now);
    const used = this.#counts.get(key) ?? 0;
    if (used > 0) this.#counts.set(key, used - 1);
  }

  #startNewWindowIfDue(now: number): void {
    if (now - this.#windowStartedAt < WINDOW_MS) return;
    this.#windowStartedAt = now;
    this.#counts.clear();
  }
}

const WINDOW_MS = 60_000;
const MAX_KEYS = 100_000;
