import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { backoffMs, retryAfterMs } from "./backoff.js";

describe("backoffMs", () => {
  it("doubles from a quarter of a second up to half a minute", () => {
    expect([1, 2, 3, 4, 8, 20].map((failures) => backoffMs(failures, () => 0))).toEqual([
      250, 500, 1_000, 2_000, 30_000, 30_000,
    ]);
  });

  it("subtracts a random part, at most a half", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 50 }), fc.double({ min: 0, max: 1, noNaN: true }), (failures, random) => {
        const full = backoffMs(failures, () => 0);
        const waitMs = backoffMs(failures, () => random);
        expect(waitMs).toBeGreaterThanOrEqual(full / 2);
        expect(waitMs).toBeLessThanOrEqual(full);
      }),
    );
  });
});

describe("retryAfterMs", () => {
  const nowMs = Date.UTC(2026, 0, 1, 12, 0, 0);

  it.each([
    ["5", 5_000],
    ["0.5", 500],
    ["0", 0],
    ["86400", 60_000],
    ["Thu, 01 Jan 2026 12:00:10 GMT", 10_000],
    ["Thu, 01 Jan 2026 11:00:00 GMT", 0],
    ["soon", undefined],
    ["", undefined],
    [undefined, undefined],
  ])("reads %j as %j ms", (value, expected) => {
    expect(retryAfterMs({ "retry-after": value }, nowMs)).toBe(expected);
  });
});
