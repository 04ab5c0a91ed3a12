import { expect, test } from "vitest";
import { isoText } from "./iso-text.js";

test("times are formatted as Date formats them, before 1970 and beyond the year 9999 too", () => {
  const times = [0, -1, 1, 86_399_999, 86_400_000, -86_400_000, -86_400_001, Date.now(), 253_402_300_800_000];
  const limits = [8_640_000_000_000_000, -8_640_000_000_000_000, -62_198_755_200_000];
  // Days that share a place in memory, one after the other.
  const sameDay = [0, 1_024, -1_024, 2_048, 0].map((day) => day * 86_400_000 + 12_345_678);
  const scattered = Array.from({ length: 300 }, (_, index) => (index - 150) * 16_987_654_321_987);
  for (const time of [...times, ...limits, ...sameDay, ...scattered]) {
    if (Math.abs(time) <= 8_640_000_000_000_000) expect(isoText(time)).toBe(new Date(time).toISOString());
  }
});

test("a time that is none is refused", () => {
  expect(() => isoText(Number.NaN)).toThrow(RangeError);
  expect(() => isoText(8_640_000_000_000_001 + 86_400_000)).toThrow(RangeError);
});
