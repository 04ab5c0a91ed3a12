import fc from "fast-check";
import { expect, test } from "vitest";
import { median, slopeOf } from "./slope.js";

test("points on a line have its slope", () => {
  const number = fc.integer({ min: -1_000, max: 1_000 });
  fc.assert(
    fc.property(number, number, fc.integer({ min: 2, max: 40 }), (slope, start, count) => {
      const points = Array.from({ length: count }, (_, x) => [x, start + slope * x] as const);
      expect(slopeOf(points)).toBeCloseTo(slope);
    }),
  );
});

test("peaks do not change the slope of what is flat otherwise", () => {
  const points = Array.from({ length: 30 }, (_, x) => [x, x % 7 === 3 ? 10_000 : 100] as const);
  expect(slopeOf(points)).toBe(0);
});

test("one point, none, or several at one place have no slope", () => {
  expect(slopeOf([])).toBe(0);
  expect(slopeOf([[1, 2]])).toBe(0);
  expect(
    slopeOf([
      [1, 2],
      [1, 9],
    ]),
  ).toBe(0);
});

test.each([
  { values: [3, 1, 2], expected: 2 },
  { values: [4, 1, 2, 3], expected: 2.5 },
])("the median of $values is $expected", ({ values, expected }) => {
  expect(median(values)).toBe(expected);
});

test("many points are thinned out, and the slope stays the same", () => {
  const points = Array.from({ length: 3_600 }, (_, x) => [x, 3 * x + (x % 7)] as const);
  expect(slopeOf(points)).toBeCloseTo(3, 2);
});
