import { expect, test } from "vitest";
import { percentile } from "./percentile.js";

test.each([
  { share: 0, expected: 1 },
  { share: 0.5, expected: 2 },
  { share: 0.51, expected: 3 },
  { share: 0.75, expected: 3 },
  { share: 1, expected: 4 },
])("the percentile at $share of 1 to 4 is $expected", ({ share, expected }) => {
  expect(percentile([3, 1, 4, 2], share)).toBe(expected);
});

test("values are compared as numbers, and the given list keeps its order", () => {
  const values = [100, 9, 20];
  expect(percentile(values, 1)).toBe(100);
  expect(percentile(values, 0.1)).toBe(9);
  expect(values).toEqual([100, 9, 20]);
});

test("there is no percentile of no values", () => {
  expect(percentile([], 0.5)).toBeNaN();
});
