import fc from "fast-check";
import { expect, test } from "vitest";
import { describeJsonFault } from "./json-fault.js";

test.each([
  ['{"a": 1,}', "line 1, column 9"],
  ["{'a': 1}", "line 1, column 2"],
  ['{"a" 1}', "line 1, column 6"],
  ['{"a": 1}\n}', "line 2, column 1"],
  ['{\n  "plan": pro\n}', "line 2, column 11"],
  ["[1 2]", "line 1, column 4"],
  ["[01]", "line 1, column 2"],
  ["[1,]", "line 1, column 4"],
  ['["a\nb"]', "line 1, column 4"],
  ['["\\x"]', "line 1, column 3"],
  ['{"a": tru}', "line 1, column 7"],
  ['{"a": [1', "line 1, column 9, where it ends too early"],
  ['{"a": "b', "line 1, column 9, where it ends too early"],
  ["", "line 1, column 1, where it ends too early"],
  ["<html>", "line 1, column 1"],
])("%j is at fault at %s", (text, place) => {
  expect(() => JSON.parse(text)).toThrow(SyntaxError);
  expect(describeJsonFault(text)).toBe(place);
});

test("a fault is found exactly where JSON.parse finds one", () => {
  const damaged = fc
    .tuple(fc.json(), fc.nat(), fc.constantFrom("", ",", "]", "}", '"', "x", ":", "0", "-", ".", "\\", "\n"), fc.nat(2))
    .map(([text, at, part, removed]) => {
      const place = at % (text.length + 1);
      return text.slice(0, place) + part + text.slice(place + removed);
    });
  const isValid = (text: string) => {
    try {
      JSON.parse(text);
      return true;
    } catch {
      return false;
    }
  };
  fc.assert(
    fc.property(fc.oneof(fc.json(), damaged), (text) => {
      expect(describeJsonFault(text) === undefined).toBe(isValid(text));
    }),
    { numRuns: 3_000 },
  );
});

test("the search has an end in a long text", () => {
  expect(describeJsonFault(`["${"a".repeat(2_000_000)}", x]`)).toBeUndefined();
});
