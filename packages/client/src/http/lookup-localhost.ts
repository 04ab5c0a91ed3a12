import { lookup } from "node:dns";
import type { LookupFunction } from "node:net";

/**
 * Resolves `acme.localhost` to this machine, as RFC 6761 requires. Resolvers in many containers do not, and an
 * organization on a newly started server has such an address.
 */
export const lookupLocalhost: LookupFunction = (hostname, options, callback) => {
  lookup(hostname.endsWith(".localhost") ? "localhost" : hostname, options, callback);
};
