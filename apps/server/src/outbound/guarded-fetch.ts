import { lookup as systemLookup } from "node:dns";
import { isIP, type LookupFunction } from "node:net";
import { exchange, type OutboundAnswer, type OutboundRequest } from "./exchange.js";
import { OutboundError } from "./outbound-error.js";
import { isPublicAddress } from "./public-address.js";

export type GuardedFetch = (url: string, request?: OutboundRequest) => Promise<OutboundAnswer>;

export interface GuardedFetchOptions {
  /** Lets requests reach private and loopback addresses too. */
  allowPrivateNetwork: boolean;
  /** Resolves host names. Default: the resolver of the system. */
  lookup?: LookupFunction;
  /** Which addresses may be connected to. Default: public ones, or all when the private network is allowed. */
  isAllowed?(address: string): boolean;
}

const MAX_REDIRECTS = 5;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/**
 * Makes requests to addresses that users give us: only to public hosts, also after a redirect. A host name is resolved
 * once, and the connection goes to the address that was checked, because a second look-up could give another address.
 */
export function createGuardedFetch({
  allowPrivateNetwork,
  lookup = systemLookup,
  isAllowed = allowPrivateNetwork ? () => true : isPublicAddress,
}: GuardedFetchOptions): GuardedFetch {
  const route = { lookup: refusingLookup(lookup, isAllowed) };
  return async (given, request = {}) => {
    let url = parseUrl(given);
    let next = request;
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
      requireAllowedLiteral(url, isAllowed);
      const answer = await exchange(url, next, route);
      const { location } = answer.headers;
      if (!REDIRECTS.has(answer.status) || location === undefined) return answer;
      answer.body.destroy();
      const target = parseUrl(location, url);
      next = redirected(next, answer.status, url, target);
      url = target;
    }
    throw new OutboundError("too_many_redirects", `${url.origin} redirects more than ${MAX_REDIRECTS} times.`);
  };
}

function parseUrl(given: string, base?: URL): URL {
  const url = URL.canParse(given, base?.href) ? new URL(given, base) : undefined;
  if (!url || (url.protocol !== "http:" && url.protocol !== "https:")) {
    // The address may have credentials, and this text is stored and shown.
    throw new OutboundError(
      "bad_url",
      base ? `${base.origin} redirects to no http or https address.` : "The address is not an http or https address.",
    );
  }
  return url;
}

/** An IP address in the URL is not looked up, so it is checked here. */
function requireAllowedLiteral({ hostname }: URL, isAllowed: (address: string) => boolean): void {
  const address = hostname.replace(/^\[|\]$/g, "");
  if (isIP(address) !== 0 && !isAllowed(address)) throw refusedAddress(address);
}

/** Looks names up, and gives only addresses that may be connected to. */
export function refusingLookup(lookup: LookupFunction, isAllowed: (address: string) => boolean): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, found) => {
      if (error) {
        callback(error, []);
        return;
      }
      const addresses = Array.isArray(found) ? found : [{ address: found, family: isIP(found) }];
      const allowed = addresses.filter(({ address }) => isAllowed(address));
      const [first] = allowed;
      if (!first) callback(refusedAddress(hostname), []);
      else if (options.all) callback(null, allowed);
      else callback(null, first.address, first.family);
    });
  };
}

export function refusedAddress(host: string): OutboundError {
  return new OutboundError(
    "refused_address",
    `${host} is not a public address; set ALLOW_PRIVATE_NETWORK to allow it.`,
  );
}

/** The request that follows a redirect: with the body only if the status keeps the method, with credentials only to the same origin. */
function redirected(request: OutboundRequest, status: number, from: URL, to: URL): OutboundRequest {
  const keepsMethod = status === 307 || status === 308 || request.method === undefined || request.method === "HEAD";
  const dropped = new Set([
    ...(keepsMethod ? [] : ["content-type"]),
    ...(from.origin === to.origin ? [] : ["authorization", "cookie"]),
  ]);
  const headers = Object.fromEntries(
    Object.entries(request.headers ?? {}).filter(([name]) => !dropped.has(name.toLowerCase())),
  );
  if (keepsMethod) return { ...request, headers };
  const { body: _body, method: _method, ...rest } = request;
  return { ...rest, headers };
}
