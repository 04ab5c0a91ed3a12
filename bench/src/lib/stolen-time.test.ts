import { expect, test } from "vitest";
import { watchStolenTime } from "./stolen-time.js";

const stat = (user: number, idle: number, stolen: number) =>
  `cpu  ${user} 0 0 ${idle} 0 0 0 ${stolen} ${user} 0\ncpu0 1 2 3 4 5 6 7 8 9 10\nintr 1\n`;

function shareBetween(...texts: (string | undefined)[]): number | undefined {
  return watchStolenTime(() => texts.shift())();
}

test("the share is of the time since the watch began, and guests do not count twice", () => {
  expect(shareBetween(stat(100, 100, 50), stat(150, 125, 75))).toBe(25);
  expect(shareBetween(stat(100, 100, 50), stat(200, 200, 50))).toBe(0);
});

test("a system that does not count it has no share", () => {
  expect(shareBetween(undefined, undefined)).toBeUndefined();
  expect(shareBetween("cpu  1 2 3 4\n", "cpu  2 3 4 5\n")).toBeUndefined();
  expect(shareBetween(stat(1, 1, 1), stat(1, 1, 1))).toBeUndefined();
});
