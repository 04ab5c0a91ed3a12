import { expect, test } from "vitest";
import { recordTime } from "./record-time.js";

const RECEIVED = Date.parse("2026-05-01T12:00:00Z");
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

test("the record time is the time of the entry when the sender's clock is right", () => {
  expect(recordTime(RECEIVED - HOUR, RECEIVED, RECEIVED)).toBe(RECEIVED - HOUR);
});

test("the record time is not changed by the delay of the network", () => {
  expect(recordTime(RECEIVED - HOUR, RECEIVED - 20_000, RECEIVED)).toBe(RECEIVED - HOUR);
});

test.each([
  ["slow", -2 * HOUR],
  ["fast", 3 * HOUR],
])("the record time is corrected when the clock is %s", (_what, offset) => {
  const happened = RECEIVED - 10 * MINUTE;
  expect(recordTime(happened + offset, RECEIVED + offset, RECEIVED)).toBe(happened);
  // A second batch of the same sender, a few seconds later, is shifted by the same amount, so that its records keep
  // their order.
  expect(recordTime(happened + offset + 1, RECEIVED + offset + 5_000, RECEIVED + 7_000)).toBe(happened + 1);
});

test("the record time is never in the future", () => {
  expect(recordTime(RECEIVED + HOUR, RECEIVED, RECEIVED)).toBe(RECEIVED);
});

test("the record time is never before 1970, even by a broken clock", () => {
  expect(recordTime(-HOUR, RECEIVED, RECEIVED)).toBe(0);
  expect(recordTime(RECEIVED, Date.UTC(9999, 0, 1), RECEIVED)).toBe(0);
  expect(recordTime(8.64e15, -8.64e15, RECEIVED)).toBe(RECEIVED);
});
