import { expect, test } from "vitest";
import { parseIsoTime } from "./parse-iso-time.js";

const DAY_MS = 86_400_000;

test("times are read as Date reads them, on every day up to the 28th", () => {
  // The years 1900 and 2100 have no leap day, 2000 has one.
  const first = Date.UTC(1898, 0, 1);
  const wrong: string[] = [];
  for (let day = 0; day < 205 * 365; day++) {
    const date = new Date(first + day * DAY_MS + ((day * 7_919) % DAY_MS));
    const text = date.toISOString();
    const expected = date.getUTCDate() <= 28 ? date.getTime() : undefined;
    if (parseIsoTime(text) !== expected) wrong.push(text);
  }
  expect(wrong).toEqual([]);
  for (const text of ["0001-01-01T00:00:00.000Z", "9999-12-28T23:59:59.999Z", "0099-03-01T00:00:00.000Z"]) {
    expect(parseIsoTime(text)).toBe(Date.parse(text));
  }
});

test.for([
  "2024-06-01",
  "2024-06-01T12:00:00Z",
  "2024-06-01T12:00:00.000+",
  "2024-06-01 12:00:00.000Z",
  "2024-13-01T12:00:00.000Z",
  "2024-00-01T12:00:00.000Z",
  "2024-06-00T12:00:00.000Z",
  "2024-06-31T12:00:00.000Z",
  "2024-06-01T24:00:00.000Z",
  "2024-06-01T12:60:00.000Z",
  "2024-06-01T12:00:60.000Z",
  "2024-06-01T12:00:00.00xZ",
  "x024-06-01T12:00:00.000Z",
  "-024-06-01T12:00:00.000Z",
  "",
])("%j is left to Date", (text) => {
  expect(parseIsoTime(text)).toBeUndefined();
});
