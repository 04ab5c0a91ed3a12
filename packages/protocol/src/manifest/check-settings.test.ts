import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { checkSettings, defaultSettings, missingSettings } from "./check-settings.js";
import { newFields } from "./new-fields.js";
import { type DeclaredSetting, readManifest } from "./read-manifest.js";

function declare(...settings: object[]): DeclaredSetting[] {
  return readManifest({ settings }).settings;
}

function problems(setting: object, value: unknown): string[] {
  return checkSettings(declare({ name: "s", ...setting }), { s: value }).map(({ path }) => path);
}

const ID = "0123456789abcdef01234567";
const MAPPING = { type: "array", format: "traitMapping" };

describe("a value", () => {
  test.each([
    ["a text", { type: "string" }, "x"],
    ["a number", { type: "number" }, 5],
    ["a number as text", { type: "number" }, "5"],
    ["a boolean as text", { type: "boolean" }, "false"],
    ["one of the choices", { type: "string", enum: ["a", "b"] }, "b"],
    ["one of the choices that are numbers as text", { type: "number", enum: ["5", "10"] }, 5],
    ["one of the choices, as text", { type: "string", enum: [5, 10] }, "5"],
    ["several of the choices", { type: "array", format: "select", enum: ["a", "b"] }, ["b", "a"]],
    ["several of the choices of the items", { type: "array", items: { type: "string", enum: ["a", "b"] } }, ["b"]],
    [
      "a new choice, where that is allowed",
      { type: "string", format: "select", enum: ["a"], options: { allowCreate: true } },
      "c",
    ],
    ["one of the loaded choices", { type: "string", format: "select", options: { loadOptions: "/o" } }, "any"],
    ["a segment", { type: "string", format: "segment" }, ID],
    ["a list of segments", { type: "array", format: "segment" }, ["ALL", ID, "IDENTIFIED", "ANONYMOUS"]],
    ["a standard value", { type: "array", format: "accountSegment", options: { standard: { VIP: "VIPs" } } }, ["VIP"]],
    [
      "one of a list of standard values",
      { type: "string", format: "segment", options: { standard: [{ value: "VIP", label: "VIPs" }] } },
      "VIP",
    ],
    ["no segments", { type: "array", format: "segment" }, []],
    ["an event", { type: "string", format: "event" }, "Page viewed"],
    ["a list of events", { type: "array", format: "event" }, ["Page viewed", "HULL_ENTER_SEGMENT"]],
    ["an attribute", { type: "string", format: "trait" }, "traits_crm/stage"],
    ["a list of attributes", { type: "array", format: "accountTrait" }, ["plan"]],
    ["tags", { type: "array", format: "tags" }, ["a", "b"]],
    ["a colour", { type: "string", format: "color" }, "#0093E6"],
    ["a colour by name", { type: "string", format: "color" }, "tomato"],
    ["a colour by function", { type: "string", format: "color" }, "rgba(0, 10, 20, 0.5)"],
    ["an address", { type: "string", format: "uri" }, "https://example.com/a?b=c"],
    ["an image", { type: "string", format: "image" }, "/logo.png"],
    ["an empty value", { type: "number" }, ""],
    ["nothing", { type: "array" }, null],
    ["nothing, in a mapping", MAPPING, null],
    ["a mapping", MAPPING, [{ hull: "traits_a", service: "field", overwrite: true, readOnly: true }]],
    ["a mapping without overwrite", { ...MAPPING, format: "accountTraitMapping" }, [{ hull: "a", service: "b" }]],
    ["a mapping with overwrite as text", MAPPING, [{ hull: "a", service: "b", overwrite: "false" }]],
    ["a mapping with empty cells", MAPPING, [{ hull: "", service: null, overwrite: null }]],
    ["an empty mapping", MAPPING, []],
    ["what a sign-in component stored", { type: "string", format: "oauth" }, { token: "t" }],
    ["anything, when the type is not known", { type: "colour" }, { a: 1 }],
    ["anything, when the format is not known", { type: "string", format: "rainbow" }, "x"],
    [
      "a row with empty cells",
      { type: "array", items: { type: "object", properties: { a: { type: "number" } } } },
      [{ a: "" }],
    ],
    [
      "a row with a number as text",
      { type: "array", format: "table", items: { type: "object", properties: { a: { type: "number" } } } },
      [{ a: "5", undeclared: {} }],
    ],
    ["rows that are texts", { type: "array", format: "table", items: { type: "string", format: "string" } }, [""]],
  ])("may be %s", (_name, setting, value) => {
    expect(problems(setting, value)).toEqual([]);
  });

  test.each([
    ["a list for a text", { type: "string" }, ["x"], ["s"]],
    ["a word for a number", { type: "number" }, "many", ["s"]],
    ["a word for a boolean", { type: "boolean" }, "perhaps", ["s"]],
    ["none of the choices", { type: "string", enum: ["a", "b"] }, "c", ["s"]],
    ["none of the choices of a list", { type: "array", format: "select", enum: ["a"] }, ["a", "c"], ["s.1"]],
    ["a new choice", { type: "string", format: "select", enum: ["a"], options: { allowCreate: false } }, "c", ["s"]],
    ["beyond the bounds", { type: "number", minimum: 1, maximum: 10 }, 11, ["s"]],
    ["a row of the wrong kind", { type: "array", items: { type: "object" } }, [{}, "row"], ["s.1"]],
    [
      "a cell of the wrong kind",
      { type: "array", items: { type: "object", properties: { a: { type: "number" } } } },
      [{ a: 1 }, { a: "x" }],
      ["s.1.a"],
    ],
    ["the name of a segment", { type: "array", format: "segment" }, ["ALL", "Customers"], ["s.1"]],
    ["a number for a segment", { format: "segment" }, 5, ["s"]],
    [
      "a segment in a cell",
      { type: "array", items: { properties: { x: { format: "segment" } } } },
      [{ x: "y" }],
      ["s.0.x"],
    ],
    ["an object for an event", { format: "event" }, {}, ["s"]],
    ["a number among events", { type: "array", format: "event" }, ["a", 5], ["s.1"]],
    ["a number among attributes", { type: "array", format: "trait" }, [5], ["s.0"]],
    ["a text for tags", { format: "tags" }, "a,b", ["s"]],
    ["an object among tags", { type: "array", format: "tags" }, ["a", {}], ["s.1"]],
    ["a text for a table", { format: "table" }, "rows", ["s"]],
    ["no colour", { type: "string", format: "color" }, "#12", ["s"]],
    ["no address", { type: "string", format: "uri" }, "example", ["s"]],
    ["an object for a mapping", MAPPING, { hull: "a", service: "b" }, ["s"]],
    ["a text for a mapping", { format: "traitMapping" }, "a:b", ["s"]],
    ["a mapping of texts", MAPPING, ["a"], ["s.0"]],
    ["a mapping without its two sides", MAPPING, [{ hull: "a", service: "b" }, {}], ["s.1.hull", "s.1.service"]],
    ["a mapping of numbers", MAPPING, [{ hull: 1, service: [] }], ["s.0.hull", "s.0.service"]],
    [
      "a mapping that overwrites perhaps",
      MAPPING,
      [{ hull: "a", service: "b", overwrite: "perhaps" }],
      ["s.0.overwrite"],
    ],
  ])("may not be %s", (_name, setting, value, expected) => {
    expect(problems(setting, value)).toEqual(expected);
  });

  test("is not checked when no setting declares it", () => {
    expect(checkSettings(declare({ name: "a", type: "string" }), { other: { x: 1 } })).toEqual([]);
  });

  test("that is wrong is described in plain words", () => {
    const messages = (setting: object, value: unknown) =>
      checkSettings(declare({ name: "s", ...setting }), { s: value }).map(({ path, message }) => `${path} ${message}`);
    expect(messages({ enum: ["a", 5] }, "c")).toEqual(["s must be one of a, 5"]);
    expect(messages({ format: "segment" }, "x")).toEqual([
      "s must be the id of a segment or one of ALL, ANONYMOUS, IDENTIFIED",
    ]);
    expect(messages(MAPPING, [{ hull: 5 }])).toEqual([
      "s.0.hull must be a text: the attribute",
      "s.0.service is required: the field of the service",
    ]);
  });
});

test("a value that is stored already is not checked again", () => {
  const declared = declare({ name: "s", type: "number" });
  expect(checkSettings(declared, { s: ["odd"] }, { s: ["odd"] })).toEqual([]);
  expect(checkSettings(declared, { s: ["odder"] }, { s: ["odd"] })).toHaveLength(1);
});

describe("the new fields of a mapping", () => {
  const fieldsIn = (setting: object, rows: unknown, stored: unknown = []) =>
    newFields(declare({ name: "s", ...MAPPING, ...setting }), { s: rows }, { s: stored }).map(
      ({ path, name, side }) => `${path} ${name} ${side}`,
    );
  const options = { pattern: "^[a-z_]+$" };
  const rows = [
    { hull: "email", service: "mail" },
    { hull: "name", service: "" },
  ];

  test("are those of the service, or attributes when the mapping is incoming", () => {
    expect(fieldsIn({ options }, rows)).toEqual(["s.0.service mail service"]);
    expect(fieldsIn({ options: { ...options, direction: "outgoing" } }, rows)).toEqual(["s.0.service mail service"]);
    expect(fieldsIn({ options: { ...options, direction: "incoming" } }, rows)).toEqual([
      "s.0.hull email attribute",
      "s.1.hull name attribute",
    ]);
  });

  test("are not those that are stored or that are defaults", () => {
    expect(fieldsIn({ options }, rows, [{ hull: "x", service: "mail" }])).toEqual([]);
    expect(fieldsIn({ options, default: [{ hull: "x", service: "mail" }] }, rows)).toEqual([]);
  });

  test("matter only in mappings with a pattern that is a regular expression", () => {
    expect(fieldsIn({}, rows)).toEqual([]);
    expect(fieldsIn({ options: { pattern: "(" } }, rows)).toEqual([]);
    expect(fieldsIn({ options, format: "table" }, rows)).toEqual([]);
  });
});

test("schemas that make no sense do not break the check", () => {
  const key = fc.constantFrom(
    "type",
    "format",
    "enum",
    "items",
    "properties",
    "options",
    "minimum",
    "default",
    "other",
  );
  const format = fc.constantFrom("segment", "traitMapping", "tags", "table", "select", "color", "uri", "event");
  fc.assert(
    fc.property(fc.dictionary(key, fc.oneof(fc.jsonValue(), format)), fc.jsonValue(), (setting, value) => {
      const declared = declare({ ...setting, name: "s" });
      checkSettings(declared, { s: value });
      newFields(declared, { s: value }, { s: value });
    }),
  );
});

test("required settings without a value are missing, but not those that the connector writes itself", () => {
  const declared = declare(
    { name: "given", type: "string", required: true },
    { name: "empty", type: "string", required: true },
    { name: "text", type: "string", required: "true" },
    { name: "token", type: "string", format: "hidden", required: true },
    { name: "sign_in", type: "string", format: "oauth", required: true },
    { name: "optional", type: "string" },
  );
  expect(missingSettings(declared, { given: "x", empty: "" })).toEqual(["empty", "text"]);
});

test("defaults are those that are declared, even when they are empty or false", () => {
  const declared = declare({ name: "a", default: false }, { name: "b", default: [] }, { name: "c" });
  expect(defaultSettings(declared)).toEqual({ a: false, b: [] });
});
