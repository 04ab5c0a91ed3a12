import { Agent as HttpAgent } from "node:http";
import { Agent as HttpsAgent } from "node:https";
import { exchange, type OutboundAnswer, type OutboundRequest } from "./exchange.js";

export interface TrustedFetch {
  (url: string, request?: OutboundRequest): Promise<OutboundAnswer>;
  close(): void;
}

// Shorter than the idle limit of common servers (5 s in Node), so that this side closes idle connections. A request on a
// connection that the server is closing would be lost.
const IDLE_CONNECTION_MS = 4_000;

/**
 * Makes requests to installed connectors. The operator who installed a connector trusts its address, so it may be a local
 * one. Redirects are not followed, because the operator has not trusted their targets. Connections stay open between requests.
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
