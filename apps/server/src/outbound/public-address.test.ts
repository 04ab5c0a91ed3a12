import { expect, test } from "vitest";
import { isPublicAddress } from "./public-address.js";

test.each([
  "8.8.8.8",
  "1.1.1.1",
  "172.15.255.255",
  "172.32.0.1",
  "192.167.1.1",
  "100.63.0.1",
  "2606:4700:4700::1111",
  "2a00:1450:4001:81b::200e",
  "::ffff:8.8.8.8",
  "::ffff:808:808",
  "9.255.255.255",
  "11.0.0.0",
  "100.128.0.0",
  "169.253.255.255",
  "198.17.255.255",
  "198.20.0.0",
  "223.255.255.255",
  "2001:200::1",
  "2001:db7:ffff::1",
  "2003::1",
])("%s is an address on the open internet", (address) => {
  expect(isPublicAddress(address)).toBe(true);
});

test.each([
  "0.0.0.0",
  "10.1.2.3",
  "100.64.0.1",
  "127.0.0.1",
  "127.255.255.254",
  "169.254.169.254",
  "172.16.0.1",
  "172.31.255.255",
  "192.0.0.192",
  "192.168.1.1",
  "198.19.0.1",
  "224.0.0.1",
  "255.255.255.255",
  "::",
  "::1",
  "::ffff:127.0.0.1",
  "::ffff:7f00:1",
  "::ffff:169.254.169.254",
  "64:ff9b::7f00:1",
  "fc00::1",
  "fd12:3456::1",
  "fe80::1",
  "fe80::1%eth0",
  "ff02::1",
  "2001:db8::1",
  "2002:7f00:1::",
  "2001:0:7f00:1::",
])("%s is not", (address) => {
  expect(isPublicAddress(address)).toBe(false);
});

test.each([
  ["unspecified", ["0.0.0.0", "0.255.255.255", "::", "0:0:0:0:0:0:0:0"]],
  ["carrier-grade NAT", ["100.64.0.0", "100.127.255.255"]],
  ["IPv4-mapped", ["::ffff:10.0.0.1", "::ffff:0a00:1", "0:0:0:0:0:ffff:c0a8:101", "::ffff:100.64.0.1"]],
  ["IPv4-compatible", ["::127.0.0.1", "::7f00:1", "::a9fe:a9fe", "::8.8.8.8", "::8.8.8.8%1", "0:0:0:0:0:0:8.8.8.8"]],
  ["IPv4-translated", ["::ffff:0:127.0.0.1"]],
  ["NAT64", ["64:ff9b::", "64:ff9b::169.254.169.254", "64:ff9b::8.8.8.8", "64:ff9b:1::1", "64:ff9b:1:ffff::7f00:1"]],
  ["6to4", ["2002::", "2002:a9fe:a9fe::1", "2002:808:808::1", "192.88.99.1"]],
  ["Teredo", ["2001::", "2001:0:53aa:64c::1", "2001:0:ffff:ffff:ffff:ffff:ffff:ffff"]],
  ["documentation", ["192.0.2.1", "198.51.100.1", "203.0.113.255", "2001:db8::1", "2001:db8:ffff::1", "3fff::1"]],
  ["benchmarking", ["198.18.0.0", "198.19.255.255", "2001:2::1"]],
  ["multicast", ["224.0.0.0", "239.255.255.255", "ff00::", "ff02::fb", "ff0e::1"]],
  ["unique local and site-local", ["fc00::", "fdff:ffff::1", "fd00:ec2::254", "fec0::1"]],
  ["discard-only, segment routing, not assigned", ["100::1", "5f00::1", "4000::1", "8000::1"]],
])("addresses for %s are not on the open internet", (_range, addresses) => {
  expect(addresses.filter(isPublicAddress)).toEqual([]);
});

test.each([
  "",
  "example.com",
  "localhost",
  "127.1",
  "0x8.8.8.8",
  "134744072",
  "8.8.8.8.8",
  "010.8.8.8",
  "[::1]",
  "1::2::3",
])("%j is no address, so it is not one on the open internet", (text) => {
  expect(isPublicAddress(text)).toBe(false);
});
