import { BlockList, isIPv4 } from "node:net";

// What the IANA registries of special addresses list: this network, private, shared, loopback, link-local (with the
// metadata services of clouds), protocol assignments, documentation, benchmarks, multicast, reserved.
const SPECIAL_IPV4 = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
] as const;

// Parts of 2000::/3 that are not plain hosts on the internet: protocol assignments with Teredo, documentation, 6to4.
const SPECIAL_IPV6 = [
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20],
] as const;

const special = new BlockList();
for (const [net, prefix] of SPECIAL_IPV4) special.addSubnet(net, prefix, "ipv4");
for (const [net, prefix] of SPECIAL_IPV6) special.addSubnet(net, prefix, "ipv6");

const globalIPv6 = new BlockList();
globalIPv6.addSubnet("2000::", 3, "ipv6");

const mappedIPv4 = new BlockList();
mappedIPv4.addSubnet("::ffff:0:0", 96, "ipv6");

/** Whether an IP address is that of a host on the open internet: not private, loopback, link-local or special. */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !special.check(address, "ipv4");
  const bare = address.replace(/%.*$/, "");
  // Node checks ::ffff:a.b.c.d against the IPv4 rules as well; only those decide about such an address.
  if (mappedIPv4.check(bare, "ipv6")) return !special.check(bare, "ipv6");
  return globalIPv6.check(bare, "ipv6") && !special.check(bare, "ipv6");
}
