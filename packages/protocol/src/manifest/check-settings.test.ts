import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { checkSettings, defaultSettings, missingSettings } from "./check-settings.js";
import { type DeclaredSetting, readManifest } from "./read-manifest.js";

function declare(...settings: object[]): DeclaredSetting[] {
  return readManifest({ settings }).settings;
}

function problems(setting: object, value: unknown): string[] {
  return checkSettings(declare({ name: "s", ...setting }), { s: value }).map(({ path }) => path);
}

describe("a value", () => {
  test.each([
    ["a text", { type: "string" }, "x"],
    ["a number", { type: "number" }, 5],
    ["a number as text", { type: "number" }, "5"],
    ["a boolean as text", { type: "boolean" }, "false"],
    ["one of the choices", { type: "string", enum: ["a", "b"] }, "b"],
    ["a list of segments", { type: "array", format: "segment" }, ["ALL"]],
    ["an empty value", { type: "number" }, ""],
    ["nothing", { type: "array" }, null],
    ["what a sign-in component stored", { type: "string", format: "oauth" }, { token: "t" }],
    ["anything, when the type is not known", { type: "colour" }, { a: 1 }],
    ["anything, when the format is not known", { type: "string", format: "rainbow" }, "x"],
    [
      "a row with empty cells",
      { type: "array", items: { type: "object", properties: { a: { type: "number" } } } },
      [{ a: "" }],
    ],
  ])("may be %s", (_name, setting, value) => {
    expect(problems(setting, value)).toEqual([]);
  });

  test.each([
    ["a list for a text", { type: "string" }, ["x"], ["s"]],
    ["a word for a number", { type: "number" }, "many", ["s"]],
    ["none of the choices", { type: "string", enum: ["a", "b"] }, "c", ["s"]],
    ["beyond the bounds", { type: "number", minimum: 1, maximum: 10 }, 11, ["s"]],
    ["a row of the wrong kind", { type: "array", items: { type: "object" } }, [{}, "row"], ["s.1"]],
  ])("may not be %s", (_name, setting, value, expected) => {
    expect(problems(setting, value)).toEqual(expected);
  });

  test("is not checked when no setting declares it", () => {
    expect(checkSettings(declare({ name: "a", type: "string" }), { other: { x: 1 } })).toEqual([]);
  });
});

test("schemas that make no sense do not break the check", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.jsonValue(), (setting, value) => {
      checkSettings(declare({ ...setting, name: "s" }), { s: value });
    }),
  );
});

test("required settings without a value are missing", () => {
  const declared = declare(
    { name: "given", type: "string", required: true },
    { name: "empty", type: "string", required: true },
    { name: "optional", type: "string" },
  );
  expect(missingSettings(declared, { given: "x", empty: "" })).toEqual(["empty"]);
});

test("defaults are those that are declared, even when they are empty or false", () => {
  const declared = declare({ name: "a", default: false }, { name: "b", default: [] }, { name: "c" });
  expect(defaultSettings(declared)).toEqual({ a: false, b: [] });
});
