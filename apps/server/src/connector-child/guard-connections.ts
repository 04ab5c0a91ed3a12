import { AsyncLocalStorage } from "node:async_hooks";
import { lookup as systemLookup } from "node:dns";
import { isIP, type LookupFunction, Socket, type TcpNetConnectOpts } from "node:net";
import { refusedAddress, refusingLookup } from "../outbound/guarded-fetch.js";

export interface ConnectionGuardOptions {
  /** The server of these connectors, which may be on this machine. Without it nothing in the process calls the server. */
  platformUrl?: string;
  isAllowed(address: string): boolean;
}

/** How a caller gives the target to `connect` of a socket. */
type Target = Partial<TcpNetConnectOpts> & { path?: string | null; [FROM_CLIENT]?: boolean };

// The client library marks its connections. Only it and `fetch` call the server of the connectors.
const FROM_CLIENT = Symbol.for("muster.client");

/**
 * Lets this process connect to public addresses only, because customers choose what the connectors call: the address of a
 * webhook, the host of a database. Every connection goes through `Socket.connect`, so no library can be forgotten. The
 * calls to the server itself are the exception, and only these: an address that a customer gives does not reach it.
 */
export function guardConnections({ platformUrl, isAllowed }: ConnectionGuardOptions): void {
  const platform = platformUrl === undefined ? undefined : new URL(platformUrl);
  const platformPort = Number(platform?.port || (platform?.protocol === "https:" ? 443 : 80));
  const platformHost = platform && hostOf(platform);
  const fetching = new AsyncLocalStorage<true>();
  const { fetch } = globalThis;
  globalThis.fetch = (input, init) => fetching.run(true, () => fetch(input, init));

  const lookup = refusingLookup(systemLookup, isAllowed);
  const isPlatform = (target: Target) =>
    platform !== undefined &&
    (target[FROM_CLIENT] === true || fetching.getStore() === true) &&
    target.host === platformHost &&
    Number(target.port) === platformPort;

  const connect = Socket.prototype.connect as (this: Socket, target: Target, listener?: () => void) => Socket;
  const guarded = function (this: Socket, ...given: unknown[]): Socket {
    const { target, listener } = readArguments(given);
    if (isPlatform(target)) return connect.call(this, target, listener);
    const problem = problemOf(target, isAllowed);
    if (problem) {
      process.nextTick(() => this.destroy(problem));
      return this;
    }
    return connect.call(this, { ...target, lookup: lookup as LookupFunction }, listener);
  };
  Socket.prototype.connect = guarded as typeof Socket.prototype.connect;
}

/** Why a target is refused without looking its name up; undefined when the look-up decides. */
function problemOf({ host = "localhost", path }: Target, isAllowed: (address: string) => boolean): Error | undefined {
  if (path) return refusedAddress("A Unix socket");
  return isIP(host) !== 0 && !isAllowed(host) ? refusedAddress(host) : undefined;
}

/** The forms of `connect`: options, a port and a host, a path, or the list that Node makes of them. */
function readArguments(given: unknown[]): { target: Target; listener?: () => void } {
  const [first, ...others] = given;
  if (Array.isArray(first)) return readArguments(first);
  const last = given.findLast((argument) => typeof argument === "function") as (() => void) | undefined;
  const listener = last ? { listener: last } : {};
  if (typeof first === "object" && first !== null) return { target: first, ...listener };
  if (typeof first === "string" && !/^\d+$/.test(first)) return { target: { path: first }, ...listener };
  const host = typeof others[0] === "string" ? { host: others[0] } : {};
  return { target: { port: Number(first), ...host }, ...listener };
}

function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, "");
}
