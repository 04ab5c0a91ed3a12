import { Agent as HttpAgent } from "node:http";
import { Agent as HttpsAgent } from "node:https";
import { isAllowedDestination } from "../domain/connectors/allowed-destinations.js";
import {
  bundledNameOf,
  destinationOf,
  isBundledUrl,
  isDestinationHost,
  type OwnName,
  SHIPPED_NAMES,
} from "../domain/connectors/bundled-address.js";
import type { BundledConnectors } from "./bundled/bundled-connectors.js";
import { exchange, type OutboundAnswer, type PassingRequest } from "./exchange.js";
import { OutboundError } from "./outbound-error.js";

export interface TrustedFetch {
  (url: string, request?: PassingRequest): Promise<OutboundAnswer>;
  close(): void;
}

/** The connectors that this process runs itself. */
export interface OwnConnectors {
  /** Those that come with Muster. */
  bundled: Pick<BundledConnectors, "socket">;
  /** The destinations of the package that is installed apart. */
  destinations: Pick<BundledConnectors, "socket">;
  /** The destinations that may be called: their names, or `all`. */
  allowedDestinations: readonly string[];
  isInstalled(destination: string): boolean;
}

// Shorter than the idle limit of common servers (5 s in Node), so that this side closes idle connections. A request on a
// connection that the server is closing would be lost.
const IDLE_CONNECTION_MS = 4_000;

/**
 * Makes requests to installed connectors. The operator who installed a connector trusts its address, so it may be a local
 * one. Redirects are not followed, because the operator has not trusted their targets. Connections stay open between requests.
 * Addresses such as `muster://processor` lead to the connectors that this process runs itself, and no other fetch knows them.
 */
export function createTrustedFetch(own?: OwnConnectors): TrustedFetch {
  const settings = { keepAlive: true, timeout: IDLE_CONNECTION_MS, scheduling: "lifo" } as const;
  const agents = { http: new HttpAgent(settings), https: new HttpsAgent(settings) };
  const send = async (given: string, request: PassingRequest = {}) => {
    const url = new URL(given);
    if (!isBundledUrl(url)) return exchange(url, request, { agents });
    if (!own) {
      throw new OutboundError(
        "bad_url",
        "This server does not run the connectors that come with it (BUNDLED_CONNECTORS).",
      );
    }
    const name = bundledNameOf(url);
    if (!name)
      throw new OutboundError(
        "bad_url",
        `No connector "${url.host}" comes with Muster: ${SHIPPED_NAMES.join(", ")} do.`,
      );
    const socketPath = await runnerOf(own, name).socket();
    return exchange(new URL(`http://${name}${url.pathname}${url.search}`), request, { agents, socketPath });
  };
  return Object.assign(send, {
    close() {
      agents.http.destroy();
      agents.https.destroy();
    },
  });
}

/**
 * Every call of a destination comes through here, so one that the operator does not allow is neither installed nor used. While
 * the package is replaced, messages wait: an answer of the process would blame them.
 */
function runnerOf({ bundled, destinations, allowedDestinations, isInstalled }: OwnConnectors, name: OwnName) {
  if (!isDestinationHost(name)) return bundled;
  const destination = destinationOf(name);
  if (!isAllowedDestination(allowedDestinations, destination)) {
    throw new OutboundError(
      "bad_url",
      `the operator of this server does not allow the destination "${destination}" (DESTINATIONS)`,
    );
  }
  if (isInstalled(destination)) return destinations;
  throw new OutboundError(
    "bad_url",
    `no destination "${destination}" is installed; \`muster destinations list\` shows those that are`,
  );
}
