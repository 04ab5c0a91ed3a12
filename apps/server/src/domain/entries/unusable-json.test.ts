import { expect, test } from "vitest";
import { findUnusable } from "./unusable-json.js";

test.each([null, 0, "", "ä 👍 \n", true, [], {}, { a: [{ b: "c" }] }, undefined])("%j can be stored", (value) => {
  expect(findUnusable(value)).toBeUndefined();
});

test.each([
  ["\0"],
  ["a\0b"],
  ["\ud800"],
  ["x\udc00"],
  [["\0"]],
  [{ a: { b: "\0" } }],
  [{ "\0": 1 }],
  [{ "\ud800": 1 }],
])("%j cannot be stored because of a character", (value) => {
  expect(findUnusable(value)).toMatch(/NUL character or half a surrogate pair/);
});

test("a value may be nested 64 levels deep and no deeper", () => {
  const nested = (levels: number): unknown => JSON.parse("[".repeat(levels) + "]".repeat(levels));
  expect(findUnusable(nested(64))).toBeUndefined();
  expect(findUnusable(nested(65))).toMatch(/deeper than 64 levels/);
  expect(findUnusable(nested(1_000_000))).toMatch(/deeper than 64 levels/);
});
