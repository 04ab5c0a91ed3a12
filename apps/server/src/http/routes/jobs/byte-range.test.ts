import { expect, test } from "vitest";
import { readRange } from "./byte-range.js";

test.for([
  ["bytes=0-9", { start: 0, end: 9 }],
  ["bytes=90-", { start: 90, end: 99 }],
  ["bytes=90-1000", { start: 90, end: 99 }],
  ["bytes=-10", { start: 90, end: 99 }],
  ["bytes=-1000", { start: 0, end: 99 }],
  ["bytes=99-99", { start: 99, end: 99 }],
] as const)("%s of 100 bytes is a range", ([header, range]) => {
  expect(readRange(header, 100)).toEqual(range);
});

test.for(["bytes=100-", "bytes=5-4", "bytes=-0"])("%s of 100 bytes is no part of the file", (header) => {
  expect(readRange(header, 100)).toBe("none");
});

test.for([undefined, "", "bytes=", "bytes=-", "bytes=0-1,5-6", "lines=1-2"])("%s means the whole file", (header) => {
  expect(readRange(header, 100)).toBeUndefined();
});
