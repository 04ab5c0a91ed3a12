import { MINUTE_MS } from "@muster/protocol";
import { LRUCache } from "lru-cache";
import { type Credentials, digestOf } from "../context/credentials.js";
import { RequestError } from "../errors/request-error.js";

// Muster shuts an address out for a minute after 100 wrong secrets. Several connectors may run at one address.
const REFUSALS_PER_MINUTE = 10;
const MAX_KNOWN = 10_000;
const MAX_ORGANIZATIONS = 1_000;

/**
 * Limits how often Muster is asked about credentials that may be wrong. Without a limit, a stranger who sends wrong secrets
 * to the connector would get the connector shut out by Muster. Credentials that were right before are always asked about.
 */
export class CredentialGuard {
  readonly #known = new LRUCache<string, true>({ max: MAX_KNOWN });
  /** Questions about unknown credentials in the current minute, by organization. Right answers are not counted. */
  readonly #asked = new LRUCache<string, { count: number }>({ max: MAX_ORGANIZATIONS, ttl: MINUTE_MS });

  /** Notes credentials that are known to be right. */
  trust(credentials: Credentials): void {
    this.#known.set(digestOf(credentials), true);
  }

  /** Calls `check`, which rejects when the credentials are wrong. Throws instead when too many were wrong lately. */
  async ask<Result>(credentials: Credentials, check: () => Promise<Result>): Promise<Result> {
    if (this.#known.has(digestOf(credentials))) return check();
    const asked = this.#asked.get(credentials.organization) ?? { count: 0 };
    if (asked.count === 0) this.#asked.set(credentials.organization, asked);
    if (asked.count >= REFUSALS_PER_MINUTE) {
      throw new RequestError(429, "too_many_refusals", "Too many calls with wrong credentials: try again in a minute.");
    }
    asked.count += 1;
    try {
      const result = await check();
      asked.count -= 1;
      this.trust(credentials);
      return result;
    } catch (error) {
      // Muster could not be asked, so nothing is known about the credentials.
      if (!(error instanceof RequestError)) asked.count -= 1;
      throw error;
    }
  }
}
