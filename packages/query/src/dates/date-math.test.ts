import { describe, expect, test } from "vitest";
import { isRelativeDate, readDateMath } from "./date-math.js";

const now = new Date("2024-03-31T01:30:00.000Z");

function read(text: string, options: { format?: string; timeZone?: string } = {}): string | undefined {
  const date = readDateMath(text, { now, ...options });
  return date && `${new Date(date.first).toISOString()} ${new Date(date.last).toISOString()}`;
}

describe("a written date means every millisecond of its smallest part", () => {
  test.for<[string, string, string]>([
    ["2024", "2024-01-01T00:00:00.000Z", "2024-01-01T23:59:59.999Z"],
    ["2024-02", "2024-02-01T00:00:00.000Z", "2024-02-01T23:59:59.999Z"],
    ["2024-02-29", "2024-02-29T00:00:00.000Z", "2024-02-29T23:59:59.999Z"],
    ["2024-02-29T10", "2024-02-29T10:00:00.000Z", "2024-02-29T10:59:59.999Z"],
    ["2024-02-29T10:20", "2024-02-29T10:20:00.000Z", "2024-02-29T10:20:59.999Z"],
    ["2024-02-29T10:20:30", "2024-02-29T10:20:30.000Z", "2024-02-29T10:20:30.999Z"],
    ["2024-02-29T10:20:30.4Z", "2024-02-29T10:20:30.400Z", "2024-02-29T10:20:30.400Z"],
    ["2024-02-29T10:20:30.123456789Z", "2024-02-29T10:20:30.123Z", "2024-02-29T10:20:30.123Z"],
    ["2024-02-29T10:20:30.000+02:00", "2024-02-29T08:20:30.000Z", "2024-02-29T08:20:30.000Z"],
    ["1709200000000", "2024-02-29T09:46:40.000Z", "2024-02-29T09:46:40.000Z"],
    ["0099-01-01", "0099-01-01T00:00:00.000Z", "0099-01-01T23:59:59.999Z"],
  ])("%s", ([text, first, last]) => {
    expect(read(text)).toBe(`${first} ${last}`);
  });
});

describe("a text that is not a date is refused", () => {
  test.for([
    "",
    "yesterday",
    "2024-13-01",
    "2023-02-29",
    "2024-01-01T24:00",
    "2024-01-01T10:60",
    "now-",
    "now-1x",
    "now/",
    "nowish",
    "2024-01-01||+1",
    "now+999999y",
    "NaN",
  ])("%s", (text) => {
    expect(read(text)).toBeUndefined();
  });
});

describe("date math", () => {
  test.for<[string, string, string]>([
    ["now", "2024-03-31T01:30:00.000Z", "2024-03-31T01:30:00.000Z"],
    ["now-1M", "2024-02-29T01:30:00.000Z", "2024-02-29T01:30:00.000Z"],
    ["now+1M", "2024-04-30T01:30:00.000Z", "2024-04-30T01:30:00.000Z"],
    ["now-1y/M", "2023-03-01T00:00:00.000Z", "2023-03-31T23:59:59.999Z"],
    ["now/w", "2024-03-25T00:00:00.000Z", "2024-03-31T23:59:59.999Z"],
    ["now/H", "2024-03-31T01:00:00.000Z", "2024-03-31T01:59:59.999Z"],
    ["now/m", "2024-03-31T01:30:00.000Z", "2024-03-31T01:30:59.999Z"],
    ["now-90s", "2024-03-31T01:28:30.000Z", "2024-03-31T01:28:30.000Z"],
    ["now/d+1d", "2024-04-01T00:00:00.000Z", "2024-04-01T23:59:59.999Z"],
    ["now-2w/d", "2024-03-17T00:00:00.000Z", "2024-03-17T23:59:59.999Z"],
    ["2024-01-31||", "2024-01-31T00:00:00.000Z", "2024-01-31T23:59:59.999Z"],
    ["2024-01-31||+1M/d", "2024-02-29T00:00:00.000Z", "2024-02-29T23:59:59.999Z"],
    ["2024-01-31T10:00||-1d", "2024-01-30T10:00:00.000Z", "2024-01-30T10:00:00.000Z"],
  ])("%s", ([text, first, last]) => {
    expect(read(text)).toBe(`${first} ${last}`);
  });
});

describe("a time zone", () => {
  // Paris goes from +01:00 to +02:00 on 2024-03-31 at 01:00Z.
  test.for<[string, string, string, string]>([
    ["2024-03-30", "Europe/Paris", "2024-03-29T23:00:00.000Z", "2024-03-30T22:59:59.999Z"],
    ["2024-04-01", "Europe/Paris", "2024-03-31T22:00:00.000Z", "2024-04-01T21:59:59.999Z"],
    ["now/d", "Europe/Paris", "2024-03-30T23:00:00.000Z", "2024-03-31T21:59:59.999Z"],
    ["now-1d", "Europe/Paris", "2024-03-30T02:30:00.000Z", "2024-03-30T02:30:00.000Z"],
    ["now/h", "Asia/Kolkata", "2024-03-31T01:30:00.000Z", "2024-03-31T02:29:59.999Z"],
    ["now/d", "-03:00", "2024-03-30T03:00:00.000Z", "2024-03-31T02:59:59.999Z"],
    ["2024-03-30T10:00:00.000Z", "Asia/Tokyo", "2024-03-30T10:00:00.000Z", "2024-03-30T10:00:00.000Z"],
    ["2024-10-27T02:30:00.000", "Europe/Paris", "2024-10-27T00:30:00.000Z", "2024-10-27T00:30:00.000Z"],
    ["2024-03-31T02:30:00.000", "Europe/Paris", "2024-03-31T01:30:00.000Z", "2024-03-31T01:30:00.000Z"],
  ])("%s in %s", ([text, timeZone, first, last]) => {
    expect(read(text, { timeZone })).toBe(`${first} ${last}`);
  });
});

describe("a format", () => {
  test.for<[string, string, string | undefined]>([
    ["dd/MM/yyyy", "29/02/2024", "2024-02-29T00:00:00.000Z"],
    ["d.M.yyyy", "1.2.2024", "2024-02-01T00:00:00.000Z"],
    ["yyyy-MM-dd HH:mm:ss", "2024-02-29 10:20:30", "2024-02-29T10:20:30.000Z"],
    ["yyyy-MM-dd'T'HH:mm:ss.SSSZ", "2024-02-29T10:20:30.400+0100", "2024-02-29T09:20:30.400Z"],
    ["epoch_second", "1709200000", "2024-02-29T09:46:40.000Z"],
    ["basic_date", "20240229", "2024-02-29T00:00:00.000Z"],
    ["strict_date", "2024-02-29", "2024-02-29T00:00:00.000Z"],
    ["yyyy||epoch_millis", "1709200000000", "2024-02-29T09:46:40.000Z"],
    ["yyyy-MM-dd", "29/02/2024", undefined],
    ["yyyy-MM-dd", "1709200000000", undefined],
    ["MM-dd", "02-29", undefined],
    ["nonsense", "2024", undefined],
  ])("%s reads %s", ([format, text, first]) => {
    expect(read(text, { format })?.slice(0, 24)).toBe(first);
  });
});

test("only dates that begin with `now` depend on the current time", () => {
  expect(["now", "now-30d", "now-1M/d", "now+1h"].map(isRelativeDate)).toEqual([true, true, true, true]);
  expect(["nowhere", "2024-01-01", "2024-01-01||+1d", "now-30", ""].map(isRelativeDate)).toEqual([
    false,
    false,
    false,
    false,
    false,
  ]);
});
