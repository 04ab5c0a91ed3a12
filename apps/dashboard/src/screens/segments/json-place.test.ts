import { expect, test } from "vitest";
import { lineOfPath } from "./json-place.js";

const TEXT = JSON.stringify(
  {
    type: "all",
    predicates: [
      { property: { key: "type" }, operator: "is_set" },
      { type: "any", predicates: [{ event: { name: 'a "quoted", {name}' }, operator: "often" }] },
    ],
  },
  undefined,
  2,
);
const line = (text: string) => TEXT.split("\n").findIndex((one) => one.includes(text)) + 1;

test.for<[string, number]>([
  ["predicate", 1],
  ["predicate.type", line('"type": "all"')],
  ["predicate.predicates.0.property.key", line('"key": "type"')],
  ["predicate.predicates.0.operator", line('"is_set"')],
  ["predicate.predicates.1.type", line('"type": "any"')],
  ["predicate.predicates.1.predicates.0.operator", line('"often"')],
  ["predicate.predicates.1.predicates.0.count", line('"event"') - 1],
])("%s is in line %s", ([path, expected]) => {
  expect(lineOfPath(TEXT, path)).toBe(expected);
});

test("text that is no JSON has its problem in the first line", () => {
  expect(lineOfPath("{", "predicate.type")).toBe(1);
});
