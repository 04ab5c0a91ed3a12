import { expect, test } from "vitest";
import { recordTime } from "./record-time.js";

const RECEIVED = Date.parse("2026-05-01T12:00:00Z");
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

test("is the entry's own time when the sender's clock is right", () => {
  expect(recordTime(RECEIVED - HOUR, RECEIVED, RECEIVED)).toBe(RECEIVED - HOUR);
});

test("is not moved by what a network takes", () => {
  expect(recordTime(RECEIVED - HOUR, RECEIVED - 20_000, RECEIVED)).toBe(RECEIVED - HOUR);
});

test.each([
  ["slow", -2 * HOUR],
  ["fast", 3 * HOUR],
])("is corrected when the clock is %s", (_what, offset) => {
  const happened = RECEIVED - 10 * MINUTE;
  expect(recordTime(happened + offset, RECEIVED + offset, RECEIVED)).toBe(happened);
  // A second batch of the same sender, a few seconds later, is shifted alike: its records keep their order.
  expect(recordTime(happened + offset + 1, RECEIVED + offset + 5_000, RECEIVED + 7_000)).toBe(happened + 1);
});

test("is never in the future", () => {
  expect(recordTime(RECEIVED + HOUR, RECEIVED, RECEIVED)).toBe(RECEIVED);
});

test("is never before 1970, whatever broken clocks say", () => {
  expect(recordTime(-HOUR, RECEIVED, RECEIVED)).toBe(0);
  expect(recordTime(RECEIVED, Date.UTC(9999, 0, 1), RECEIVED)).toBe(0);
  expect(recordTime(8.64e15, -8.64e15, RECEIVED)).toBe(RECEIVED);
});
