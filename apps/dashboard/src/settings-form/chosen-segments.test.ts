import { expect, test } from "vitest";
import { chosenSegments, queryOfSegments } from "./chosen-segments.js";

test.each([
  ["a segment replaces everybody", ["ALL"], ["ALL", "a"], ["a"]],
  ["everybody replaces segments", ["a", "b"], ["a", "b", "ALL"], ["ALL"]],
  ["segments add up", ["a"], ["a", "b"], ["a", "b"]],
  ["everybody alone stays", [], ["ALL"], ["ALL"]],
])("%s", (_what, before, after, expected) => {
  expect(chosenSegments(before, after)).toEqual(expected);
});

test("the members of any of the segments are meant", () => {
  expect(queryOfSegments(["a", "b"])).toEqual({ terms: { segment_ids: ["a", "b"] } });
  expect(queryOfSegments("ALL")).toEqual({});
  expect(queryOfSegments([])).toBeUndefined();
});
