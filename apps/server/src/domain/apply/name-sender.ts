import ipaddr from "ipaddr.js";
import type { Entry } from "../entries/entry.js";
import { isProved } from "../identity/proof.js";

/** Whom a new name of an end user counts for. */
export interface NameSender {
  /** A signed token tells who the end user is. */
  isProved: boolean;
  /** A hash of the identifiers that the entry names. */
  visitor: string;
  /** A hash of the network of the browser. */
  network: string;
}

/** The sender of an end user's entry. The hash keeps identifiers and addresses out of the tables of names. */
export function senderOf(entry: Entry, hash: (text: string) => string): NameSender {
  const { user, account, context } = entry;
  const short = (text: string) => hash(text).slice(0, 24);
  const proved = isProved(entry);
  // The page says which browser it is, beside the token: it may say another one each time.
  const who = proved && user ? { ...user, anonymous_id: undefined } : user;
  const address = typeof context?.ip === "string" ? context.ip : "";
  return {
    isProved: proved,
    visitor: short(`sender ${JSON.stringify([who, account])}`),
    network: short(`network ${wideNetworkOf(address)}`),
  };
}

/** The addresses that one customer of a provider can easily have: 256 of IPv4, or the first 48 bits of an IPv6 address. */
function wideNetworkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  return parsed instanceof ipaddr.IPv6 ? parsed.parts.slice(0, 3).join(":") : parsed.octets.slice(0, 3).join(".");
}
