import { expect, test } from "vitest";
import { fieldFilter } from "./field-filter.js";

test.each([
  ["email", "email", true],
  ["email", "emails", false],
  ["*", "anything", true],
  ["**", "", true],
  ["traits_*", "traits_plan", true],
  ["traits_*", "traits_", true],
  ["traits_*", "my_traits_plan", false],
  ["*_at", "created_at", true],
  ["*_at", "at", false],
  ["a*b*c", "aXbYc", true],
  ["a*b*c", "abc", true],
  ["a*b*c", "acb", false],
  ["ab*ba", "aba", false],
  ["a*a", "a", false],
  ["a.b*", "aXb", false],
  ["*b*b", "ab", false],
])("the field %j takes %j: %j", (field, name, expected) => {
  expect(fieldFilter([field])(name)).toBe(expected);
});

test("a name with many stars is tested in linear time", () => {
  const startedAt = performance.now();
  const isWanted = fieldFilter([`${"a*".repeat(250)}b`, `*${"a*".repeat(250)}b`]);
  expect(isWanted("a".repeat(256))).toBe(false);
  expect(performance.now() - startedAt).toBeLessThan(1_000);
});

test.each([
  [Array(1_001).fill("a"), "include has at most 1000 fields."],
  [Array.from({ length: 51 }, (_, at) => `a*${at}`), "include has at most 50 fields with a star."],
  [["a".repeat(513)], "include has names of at most 512 characters."],
])("a list that would cost too much is refused", (include, message) => {
  expect(() => fieldFilter(include)).toThrow(message);
});
