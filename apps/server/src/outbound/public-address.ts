import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

// Hosts on the internet have IPv6 addresses from this block alone. The library calls every address "unicast" that it has
// no other name for, also those outside of the block, such as ::7f00:1 (127.0.0.1 in a deprecated notation).
const GLOBAL_IPV6 = ipaddr.IPv6.parseCIDR("2000::/3");

// IPv4 addresses in the notation that RFC 4291 deprecates. The library reads ::8.8.8.8 as ::ffff:8.8.8.8, which it is not.
const IPV4_COMPATIBLE = /^::[\d.]+(?:%.*)?$/;

/**
 * Whether an IP address is that of a host on the open internet: not private, loopback, link-local (where the metadata
 * services of clouds are), nor of any other range with a special meaning.
 */
export function isPublicAddress(text: string): boolean {
  // The library also reads notations such as 0x7f.1; Node does not take them for addresses.
  if (isIP(text) === 0 || IPV4_COMPATIBLE.test(text)) return false;
  // An IPv4 address inside an IPv6 one (::ffff:127.0.0.1) becomes plain IPv4.
  const address = ipaddr.process(text);
  if (address.range() !== "unicast") return false;
  return address instanceof ipaddr.IPv4 || address.match(GLOBAL_IPV6);
}
