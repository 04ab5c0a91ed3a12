import { LRUCache } from "lru-cache";

// Enough for every organization and connector of a large server. An evicted key only starts with a new allowance.
const MAX_KEYS = 10_000;

/** Counts mails by key. Each key has a limit for a window of time that begins with its first mail. */
export class MailAllowance {
  readonly #windowMs: number;
  readonly #used = new LRUCache<string, { since: number; count: number }>({ max: MAX_KEYS });

  constructor(windowMs: number) {
    this.#windowMs = windowMs;
  }

  /** Takes one mail from each allowance, or none when one of them is used up. Returns whether it took them. */
  take(allowances: readonly { key: string; limit: number }[], now: number): boolean {
    const windows = allowances.map(({ key, limit }) => {
      const known = this.#used.get(key);
      const window = known && now - known.since < this.#windowMs ? known : { since: now, count: 0 };
      return { key, limit, window };
    });
    if (windows.some(({ limit, window }) => window.count >= limit)) return false;
    for (const { key, window } of windows) this.#used.set(key, { ...window, count: window.count + 1 });
    return true;
  }
}
