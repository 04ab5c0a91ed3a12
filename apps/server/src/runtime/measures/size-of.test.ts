import { expect, test } from "vitest";
import { sizeOf } from "./size-of.js";

test("a value takes at least the bytes of its texts, wherever they are", () => {
  const text = "x".repeat(1_000);
  for (const value of [text, [text], { a: { b: [text] } }, new Map([["a", { value: text }]])]) {
    expect(sizeOf(value)).toBeGreaterThanOrEqual(2_000);
    expect(sizeOf(value)).toBeLessThan(2_400);
  }
});

test("many small values take more than a few", () => {
  expect(sizeOf(Array.from({ length: 1_000 }, () => 1))).toBeGreaterThan(16_000);
  expect(sizeOf([null, undefined, true, {}, []])).toBeLessThan(500);
});
