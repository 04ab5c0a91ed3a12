import { expect, test } from "vitest";
import { readTyped, textOf } from "./typed-value.js";

test("what was typed becomes a value of the type of the attribute", () => {
  expect(readTyped("string", " 12 ")).toEqual({ value: " 12 " });
  expect(readTyped("numeric", " 12.5 ")).toEqual({ value: 12.5 });
  expect(readTyped("boolean", "false")).toEqual({ value: false });
  expect(readTyped("date", "2026-12-31")).toEqual({ value: "2026-12-31" });
  expect(readTyped("array", '["a", 1]')).toEqual({ value: ["a", 1] });
  expect(readTyped("json", '{"a": 1}')).toEqual({ value: { a: 1 } });
});

test.each([
  ["numeric", ""],
  ["numeric", "many"],
  ["boolean", "perhaps"],
  ["date", "soon"],
  ["array", "{}"],
  ["json", "[1"],
] as const)("%s refuses %j", (type, text) => {
  expect(readTyped(type, text)).toEqual({ problem: expect.any(String) });
});

test("a value is edited as a text, and no value as an empty one", () => {
  expect([null, "pro", 4, ["a"]].map(textOf)).toEqual(["", "pro", "4", '["a"]']);
});
