import { expect, test } from "vitest";
import { PatternMatcher } from "./pattern-matcher.js";

test("texts match or do not, as with an ordinary regular expression", () => {
  const { matches } = new PatternMatcher();
  expect(matches("^[a-z_]+$", ["field_name", "Field name", ""])).toEqual([true, false, false]);
  expect(matches("^(?!id$)\\w+", ["id", "ids"])).toEqual([false, true]);
  expect(matches("é|ß", ["Straße"])).toEqual([true]);
  expect(matches("x", [])).toEqual([]);
});

test.each([
  ["backtracks for ever", "^(a+)+$"],
  ["backtracks through alternatives", "^(a|a|a?)+$"],
])("an expression that %s is given up, and the next matcher works", (_what, pattern) => {
  const matcher = new PatternMatcher();
  expect(matcher.matches(pattern, ["aa", `${"a".repeat(1_000)}!`, "aa"])).toEqual([true, undefined, undefined]);
  expect(matcher.matches("a", ["a"])).toEqual([undefined]);
  expect(new PatternMatcher().matches("a", ["a"])).toEqual([true]);
});

test("an expression is data and is not run as code", () => {
  const { matches } = new PatternMatcher();
  expect(matches('").constructor.constructor("return process")(); //', ["x"])).toEqual([undefined]);
});

test("an expression that cannot be compiled matches nothing", () => {
  expect(new PatternMatcher().matches("(", ["x"])).toEqual([undefined]);
});
