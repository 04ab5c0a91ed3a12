import { expect, test } from "vitest";
import { type Interval, startOf, startsBetween } from "./intervals.js";

const at = (text: string) => Date.parse(text);

test.for<[Interval, string, string]>([
  ["hour", "2024-02-29T23:59:59.999Z", "2024-02-29T23:00:00Z"],
  ["day", "2024-02-29T23:59:59.999Z", "2024-02-29T00:00:00Z"],
  ["week", "2024-03-03T23:59:59Z", "2024-02-26T00:00:00Z"],
  ["week", "2024-03-04T00:00:00Z", "2024-03-04T00:00:00Z"],
  ["week", "1969-12-31T00:00:00Z", "1969-12-29T00:00:00Z"],
  ["month", "2024-02-29T23:59:59Z", "2024-02-01T00:00:00Z"],
])("the %s of %s begins at %s", ([interval, moment, start]) => {
  expect(startOf(interval, at(moment))).toBe(at(start));
});

test("the intervals of a span include the first and the last one", () => {
  expect(startsBetween("month", at("2023-11-30T12:00:00Z"), at("2024-02-01T00:00:00Z"))).toEqual(
    ["2023-11-01", "2023-12-01", "2024-01-01", "2024-02-01"].map(at),
  );
  expect(startsBetween("week", at("2024-02-28"), at("2024-03-05"))).toEqual(["2024-02-26", "2024-03-04"].map(at));
  expect(startsBetween("hour", at("2024-01-01T01:30:00Z"), at("2024-01-01T02:00:00Z"))).toHaveLength(2);
});
