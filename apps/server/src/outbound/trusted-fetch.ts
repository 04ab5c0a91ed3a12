import { Agent as HttpAgent } from "node:http";
import { Agent as HttpsAgent } from "node:https";
import { exchange, type OutboundAnswer, type OutboundRequest } from "./exchange.js";

export interface TrustedFetch {
  (url: string, request?: OutboundRequest): Promise<OutboundAnswer>;
  close(): void;
}

// Below the idle limit of common servers (Node's own is 5 s), so that we are the side that closes: a request sent on a
// connection that the other side is closing would be lost.
const IDLE_CONNECTION_MS = 4_000;

/**
 * Makes requests to the origins of installed connectors: whoever installs one trusts its address, so it may be a local
 * one. Where it redirects to was not trusted and is not followed. Connections are kept open between requests.
 */
export function createTrustedFetch(): TrustedFetch {
  const settings = { keepAlive: true, timeout: IDLE_CONNECTION_MS, scheduling: "lifo" } as const;
  const agents = { http: new HttpAgent(settings), https: new HttpsAgent(settings) };
  const send = (url: string, request: OutboundRequest = {}) => exchange(new URL(url), request, { agents });
  return Object.assign(send, {
    close() {
      agents.http.destroy();
      agents.https.destroy();
    },
  });
}
