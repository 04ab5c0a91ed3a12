import { expect, test } from "vitest";
import { StatementParams } from "./statement-params.js";

const placeholder = (name: string) => `{${name}}`;

test("equal values of one type are sent once", () => {
  const params = new StatementParams({ placeholder });
  expect([params.add("text", "a"), params.add("text", "a"), params.addList("integer", [1n, 2n])]).toEqual([
    "{p0}",
    "{p0}",
    "{p1}",
  ]);
  expect(params.addList("integer", [1n, 2n])).toBe("{p1}");
});

test("values of different types are sent separately, also when their text is the same", () => {
  const params = new StatementParams({ placeholder });
  const names = [
    params.add("text", "1"),
    params.add("number", 1),
    params.addList("text", ["1"]),
    params.addList("text", ["a\0b"]),
    params.addList("text", ["a", "b"]),
    params.addList("text", ["a,b"]),
    params.add("text", '["a","b"]'),
    params.addList("text", []),
    params.addList("text", [""]),
    params.add("text", ""),
  ];
  expect(new Set(names).size).toBe(names.length);
});
