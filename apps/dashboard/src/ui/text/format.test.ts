import { expect, test } from "vitest";
import { formatCompact, formatCount, formatDuration, formatRelative, formatShare } from "./format.js";

test("one thing has a singular", () => {
  expect(formatCount(1, "user")).toBe("1 user");
  expect(formatCount(0, "user")).toBe("0 users");
  expect(formatCount(1_204, "entry", "entries")).toMatch(/^1.204 entries$/);
});

test("a share that is not zero is never shown as zero", () => {
  expect(formatShare(0)).toMatch(/^0\s?%$/);
  expect(formatShare(0.0000001)).toMatch(/^< 0.1\s?%$/);
});

test("steps of an axis keep their digits", () => {
  expect([0, 750, 1_250, 12_400, 1_500_000].map(formatCompact)).toEqual(["0", "750", "1.25K", "12.4K", "1.5M"]);
});

test("durations have a unit that fits", () => {
  expect(formatDuration(12)).toBe("12 ms");
  expect(formatDuration(90_000)).toMatch(/^1.5 min$/);
});

test("times are told from now, in both directions", () => {
  const now = Date.parse("2026-05-01T12:00:00Z");
  expect(formatRelative(now - 5 * 60_000, now)).toContain("5");
  expect(formatRelative(now - 5 * 60_000, now)).toContain("ago");
  expect(formatRelative(now + 3_600_000, now)).toContain("in 1");
});
