import { Refusal, type VerifiedClaims } from "@muster/protocol";
import type { FastifyRequest } from "fastify";
import type { App } from "../app-type.js";
import { networkOf } from "../auth/network-of.js";
import { Throttle } from "../auth/throttle.js";

/** Many visitors share an address, for example those of a company or of a mobile network. */
const BROWSERS_PER_ADDRESS = 20;
/** A server that acts for its users has one address for all of them. */
const TOKENS_PER_ADDRESS = 100;

/** Bounds the table of used ids: each row of it lives for two minutes. */
const ARRIVALS_PER_ORGANIZATION = 30_000;

type Counted = Pick<FastifyRequest, "caller" | "ip">;

/** Limits how much one browser, and one address, can send in a minute. Everybody can call as a visitor. */
export class PageLimits {
  readonly #browsers: Throttle;
  readonly #addresses: Throttle;
  readonly #arrivals = new Throttle(ARRIVALS_PER_ORGANIZATION);
  readonly #tokens: Throttle;
  readonly #addressesWithTokens: Throttle;

  constructor(recordsPerMinute: number) {
    this.#browsers = new Throttle(recordsPerMinute);
    this.#addresses = new Throttle(recordsPerMinute * BROWSERS_PER_ADDRESS);
    this.#tokens = new Throttle(recordsPerMinute);
    this.#addressesWithTokens = new Throttle(recordsPerMinute * TOKENS_PER_ADDRESS);
  }

  /**
   * Refuses when the limit of the browser or of its address is reached. A browser counts together with its address:
   * otherwise everybody who knows the id of a browser could use up its limit.
   */
  count(request: Counted, browserId: string, records: number): void {
    const [addresses, address] = this.#addressOf(request);
    const keys = [[this.#browsers, `${address} ${browserId}`] as const, [addresses, address] as const];
    this.#countAll(keys, records);
  }

  /**
   * Counts a call with a token, by the subject of the token and by the address. Only who has the token can use up the
   * limit of its subject, so it counts wherever it is used.
   */
  countToken(request: Counted, { issuer, subjectId, asUser, asAccount }: VerifiedClaims): void {
    const subject = JSON.stringify([request.caller.organization.id, issuer, subjectId, asUser, asAccount]);
    const [, address] = this.#addressOf(request);
    const keys = [[this.#tokens, subject] as const, [this.#addressesWithTokens, address] as const];
    this.#countAll(keys, 1);
  }

  /** Counts what does not say, before it is read, which browser sends it. */
  countAddress(request: Counted, records = 1): void {
    this.#countAll([this.#addressOf(request)], records);
  }

  /** Counts a visitor who arrives with an id that a link has carried. */
  countArrival(request: Counted): void {
    this.#countAll([this.#addressOf(request), [this.#arrivals, request.caller.organization.id]], 1);
  }

  #addressOf({ caller, ip }: Counted): readonly [Throttle, string] {
    return [this.#addresses, `${caller.organization.id} ${networkOf(ip)}`];
  }

  #countAll(keys: readonly (readonly [Throttle, string])[], records: number): void {
    const now = performance.now();
    const wait = Math.max(...keys.map(([throttle, key]) => throttle.retryAfter(key, now)));
    if (wait > 0) {
      throw new Refusal("too_many_requests", "This browser, this user or their address sends too much.", {
        retryAfter: wait,
      });
    }
    for (const [throttle, key] of keys) throttle.count(key, now, records);
  }
}

/**
 * Counts the calls of end users: of browsers that name their platform in a header, as the old library does, and of users and
 * accounts with a token.
 */
export function limitEndUsers(app: App, limits: PageLimits): void {
  app.addHook("onRequest", async (request) => {
    const { caller } = request;
    if (caller?.kind === "visitor") limits.count(request, caller.claims.asUser?.anonymous_id ?? "", 1);
    if (caller?.kind === "subject") limits.countToken(request, caller.claims);
  });
}
