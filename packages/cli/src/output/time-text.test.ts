import { expect, test } from "vitest";
import { ageText, timeText } from "./time-text.js";

const NOW = Date.parse("2030-01-10T00:00:00Z");

test.each([
  ["2030-01-09T23:59:59.500Z", "0s"],
  ["2030-01-09T23:58:30Z", "90s"],
  ["2030-01-09T23:00:00Z", "60m"],
  ["2030-01-09T00:00:00Z", "24h"],
  ["2029-12-31T00:00:00Z", "10d"],
  // The server's clock may be ahead.
  ["2030-01-10T00:00:05Z", "0s"],
])("%s is %s ago", (time, age) => {
  expect(ageText(time, NOW)).toBe(age);
});

test("a time in a table has no milliseconds", () => {
  expect(timeText("2030-01-10T00:00:05.123Z")).toBe("2030-01-10T00:00:05Z");
  expect(timeText(null)).toBe("-");
});
