import { describe, expect, test } from "vitest";
import { carriedId, carryId, isHostOf } from "./carried-id.js";

const NOW = 1_700_000_000_000;

describe("an id in a link", () => {
  test("is carried for two minutes, also between clocks that differ", () => {
    const value = carryId("browser.1", NOW);
    for (const later of [0, 119_000, -119_000]) expect(carriedId(value, NOW + later)).toBe("browser.1");
    for (const later of [121_000, -121_000]) expect(carriedId(value, NOW + later)).toBeUndefined();
  });

  test.each([null, "", ".", "abc", ".id", "zz!.id", `${NOW.toString(36)}.`, `${NOW.toString(36)}.<b>`, "NaN.id"])(
    "is not read from %j",
    (value) => expect(carriedId(value, NOW)).toBeUndefined(),
  );
});

test.each([
  ["shop.test", true],
  ["www.blog.test", true],
  ["blog.test", false],
  ["evilblog.test", false],
  ["shop.test.evil.test", false],
])("%s is a host of the platform: %s", (host, expected) => {
  expect(isHostOf(["shop.test", "*.blog.test"], host)).toBe(expected);
});
