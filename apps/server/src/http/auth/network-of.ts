import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

/**
 * The part of an address that stands for one client: an IPv4 address, or the first 64 bits of an IPv6 one, because a
 * client can choose the others as it likes.
 */
export function networkOf(address: string): string {
  if (isIP(address) === 0) return address;
  const parsed = ipaddr.process(address);
  return parsed instanceof ipaddr.IPv6 ? parsed.parts.slice(0, 4).join(":") : parsed.toString();
}
