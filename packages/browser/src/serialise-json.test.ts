import fc from "fast-check";
import { expect, test } from "vitest";
import { serialiseJson } from "./serialise-json.js";

test("serialises any JSON value as JSON.stringify does", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(JSON.parse(serialiseJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
});

test("leaves out what JSON does not have, and writes dates as ISO texts", () => {
  const at = new Date("2024-05-06T07:08:09.000Z");
  expect(serialiseJson({ a: undefined, b: () => 1, c: Symbol("x"), d: Number.NaN, e: at, f: [undefined], g: 1n })).toBe(
    '{"d":null,"e":"2024-05-06T07:08:09.000Z","f":[null]}',
  );
});

test("ends for a cyclic object", () => {
  const node: Record<string, unknown> = { name: "form" };
  node.self = node;
  expect(serialiseJson({ node })).toBe('{"node":{"name":"form"}}');
});

test("does not call a toJSON of the prototypes", () => {
  const prototype = Array.prototype as { toJSON?: () => string };
  prototype.toJSON = () => "polluted";
  try {
    expect(serialiseJson([1, { a: [2] }])).toBe('[1,{"a":[2]}]');
  } finally {
    delete prototype.toJSON;
  }
});
