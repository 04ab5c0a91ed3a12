import fc from "fast-check";
import { expect, test } from "vitest";
import { bucketOf, percentileOf } from "./lag-buckets.js";

function percentile(durations: readonly number[], share: number): number | null {
  return percentileOf(
    durations.map((ms) => ({ bucket: bucketOf(ms), records: 1 })),
    share,
  );
}

test("a percentile is never too low, and at most a tenth and a millisecond too high", () => {
  const durations = fc.array(fc.integer({ min: 0, max: 86_400_000 }), { minLength: 1, maxLength: 200 });
  fc.assert(
    fc.property(durations, fc.constantFrom(0.5, 0.95, 1), (given, share) => {
      const exact = [...given].sort((one, other) => one - other)[Math.ceil(given.length * share) - 1]!;
      const found = percentile(given, share)!;
      expect(found).toBeGreaterThanOrEqual(exact);
      expect(found).toBeLessThanOrEqual(exact * 1.1 + 1);
    }),
  );
});

test("there is no percentile of nothing", () => {
  expect(percentile([], 0.5)).toBe(null);
});

test("a duration that a wrong clock made negative or endless has a bucket too", () => {
  expect([bucketOf(-5), bucketOf(Number.NaN), bucketOf(Number.MAX_VALUE)]).toEqual([0, 0, 280]);
});
