import { expect, test } from "vitest";
import { isHostOf } from "./host-of-platform.js";

test.each([
  ["https://shop.test", true],
  ["http://shop.test:8080", true],
  ["https://www.blog.test:8443", true],
  ["https://blog.test", false],
  ["https://evilblog.test", false],
  ["https://shop.test.evil.test", false],
  ["http://localhost:8081", true],
  ["http://localhost:8082", false],
  ["http://localhost", false],
])("%s is a page of the platform: %s", (address, expected) => {
  expect(isHostOf(["Shop.test", "*.blog.test", "localhost:8081"], new URL(address))).toBe(expected);
});
