import { lookup } from "node:dns";
import type { LookupFunction } from "node:net";

/**
 * Resolves `acme.localhost` to this machine, as RFC 6761 asks of resolvers; many containers' resolvers do not know it,
 * and it is the address of an organization on a freshly started server.
 */
export const lookupLocalhost: LookupFunction = (hostname, options, callback) => {
  lookup(hostname.endsWith(".localhost") ? "localhost" : hostname, options, callback);
};
