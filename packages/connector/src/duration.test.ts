import { expect, it } from "vitest";
import { parseDuration } from "./duration.js";

it.each([
  [25_000, 25_000],
  ["25s", 25_000],
  ["1.5 m", 90_000],
  ["250ms", 250],
  ["250", 250],
  ["1h", 3_600_000],
])("reads %j as %i ms", (given, expected) => {
  expect(parseDuration(given)).toBe(expected);
});

it.each(["", "soon", "0", "-5s", "5d", "1000h", Number.NaN])("does not read %j", (given) => {
  expect(() => parseDuration(given)).toThrow("is not a duration");
});
