import { expect, test } from "vitest";
import { ratePerSecond } from "./intake-rate.js";

const AT = Date.parse("2024-06-01T12:00:00.000Z");
const interval = (seconds: number, entries: number) => ({ at: new Date(AT + seconds * 1_000), entries });

test("the rate is that of the interval under way and of the one before it", () => {
  const intervals = [interval(-30, 99_999), interval(-10, 1_000), interval(0, 500)];
  expect(ratePerSecond(intervals, AT + 5_000)).toBe(100);
  expect(ratePerSecond(intervals, AT)).toBe(150);
});

test("a low rate keeps a digit, and no records are a rate of zero", () => {
  expect(ratePerSecond([interval(-10, 3)], AT)).toBe(0.3);
  expect(ratePerSecond([], AT)).toBe(0);
});
