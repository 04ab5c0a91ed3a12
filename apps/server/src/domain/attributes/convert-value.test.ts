import { ATTRIBUTE_TYPES } from "@muster/protocol/api/choices";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { AttributeType } from "./attribute-definitions.js";
import { type AttributeValue, readValue } from "./attribute-values.js";
import { convertValue } from "./convert-value.js";

const values = fc.oneof(
  fc.string(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.boolean(),
  fc.array(fc.oneof(fc.string(), fc.integer()), { maxLength: 3 }),
  fc.dictionary(fc.string(), fc.integer(), { maxKeys: 3 }),
  fc.constantFrom("true", " 12.50 ", "2026-01-01", "1e3", "0x10", ""),
);

describe("a value that is converted", () => {
  test.each<[AttributeType, NonNullable<AttributeValue>, AttributeValue]>([
    ["string", 12.5, "12.5"],
    ["string", true, "true"],
    ["string", ["a", 1], '["a",1]'],
    ["numeric", " 12.50 ", 12.5],
    ["numeric", "1e3", 1_000],
    ["boolean", "True", true],
    ["boolean", 0, false],
    ["date", "2026-12-31", "2026-12-31T00:00:00.000Z"],
    ["date", 1_767_225_600, "2026-01-01T00:00:00.000Z"],
    ["date", 1_767_225_600_000, "2026-01-01T00:00:00.000Z"],
    ["array", "a", ["a"]],
    ["json", ["a"], ["a"]],
  ])("to %s from %j is %j", (type, value, converted) => {
    expect(convertValue(type, value)).toEqual({ ok: true, value: converted });
  });

  test.each<[AttributeType, NonNullable<AttributeValue>]>([
    ["numeric", "12 euros"],
    ["numeric", ""],
    ["numeric", "0x10"],
    ["numeric", true],
    ["boolean", "yes"],
    ["boolean", 2],
    ["date", "soon"],
    ["date", 12],
    ["array", { a: 1 }],
    ["json", "a"],
  ])("to %s from %j is refused", (type, value) => {
    expect(convertValue(type, value)).toEqual({ ok: false, reason: expect.any(String) });
  });

  test("fits its new type, is what it was if it fitted before, and does not change when it is converted again", () => {
    fc.assert(
      fc.property(fc.constantFrom(...ATTRIBUTE_TYPES), values, (type, value) => {
        const converted = convertValue(type, value);
        const before = readValue(type, value);
        if (before.ok) expect(converted).toEqual(before);
        if (!converted.ok || converted.value === null) return;
        expect(readValue(type, converted.value)).toEqual(converted);
        expect(convertValue(type, converted.value)).toEqual(converted);
      }),
    );
  });
});
