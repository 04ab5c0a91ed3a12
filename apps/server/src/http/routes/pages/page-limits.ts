import { Refusal } from "@muster/protocol";
import type { FastifyRequest } from "fastify";
import type { App } from "../../app-type.js";
import { networkOf } from "../../auth/network-of.js";
import { Throttle } from "../../auth/throttle.js";

/** Many visitors share an address, for example those of a company or of a mobile network. */
const BROWSERS_PER_ADDRESS = 20;

/** Bounds the table of used ids: each row of it lives for two minutes. */
const ARRIVALS_PER_ORGANIZATION = 30_000;

type Counted = Pick<FastifyRequest, "caller" | "ip">;

/** Limits how much one browser, and one address, can send in a minute. Everybody can call as a visitor. */
export class PageLimits {
  readonly #browsers: Throttle;
  readonly #addresses: Throttle;
  readonly #arrivals = new Throttle(ARRIVALS_PER_ORGANIZATION);

  constructor(recordsPerMinute: number) {
    this.#browsers = new Throttle(recordsPerMinute);
    this.#addresses = new Throttle(recordsPerMinute * BROWSERS_PER_ADDRESS);
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

  /** Counts a call that does not say which browser makes it. */
  countAddress(request: Counted): void {
    this.#countAll([this.#addressOf(request)], 1);
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
      throw new Refusal("too_many_requests", "This browser or its address sends too much.", { retryAfter: wait });
    }
    for (const [throttle, key] of keys) throttle.count(key, now, records);
  }
}

/** Counts the calls of browsers that name their platform in a header, as the old library does. */
export function limitVisitors(app: App, limits: PageLimits): void {
  app.addHook("onRequest", async (request) => {
    const { caller } = request;
    if (caller?.kind === "visitor") limits.count(request, caller.claims.asUser?.anonymous_id ?? "", 1);
  });
}
