import type { FieldType } from "@muster/query";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isClickhouse } from "../../../../testing/is-clickhouse.js";
import { Statements } from "../client/statements.js";
import { jsonPath } from "../schema/json-path.js";
import { layoutOf } from "../schema/layout.js";
import { migrate } from "../schema/migrate.js";
import { openChdbClient } from "../testing/open-chdb.js";
import { insertEvents, insertUsers } from "./insert-rows.js";
import { formatCell, formatInstant, formatJsonCell, formatProperties, reportSerialiser } from "./row-format.js";

const ORG = "000000000000000000000001";
const ID = "640000000000000000000001";

describe("attributes are serialised according to their declared type", () => {
  test.for<[string, FieldType, unknown, string]>([
    ["text", "string", "a", '{"k":"a"}'],
    ["a whole number with an exponent", "numeric", 1, '{"k":1e+0}'],
    ["a fraction with an exponent", "numeric", -1.5, '{"k":-1.5e+0}'],
    ["a boolean", "boolean", false, '{"k":false}'],
    ["a date as milliseconds", "date", "2024-01-01T00:00:00.000Z", '{"k":1.7040672e+12}'],
    ["an array as texts", "array", ["a", 1, true, null, { b: 1 }], '{"k":["a","1","true","{\\"b\\":1}"]}'],
    ["JSON as text", "json", { a: [1] }, '{"k":"{\\"a\\":[1]}"}'],
    ["a text that is not a date is left out", "date", "never", "{}"],
    ["null is left out", "string", null, "{}"],
    ["an empty array is left out", "array", [], "{}"],
    ["an array of nulls is left out", "array", [null], "{}"],
    ["an empty text is kept", "string", "", '{"k":""}'],
    ["half a surrogate pair is replaced", "string", "a\ud800b", '{"k":"a\ufffdb"}'],
  ])("%s", ([, type, value, text]) => {
    expect(reportSerialiser(() => type)({ k: value }).attrs).toBe(text);
  });

  test("names stay on one level", () => {
    const { attrs } = reportSerialiser(() => "string")({ "a.b": "x", "a%2Eb": "y" });
    expect(attrs).toBe('{"a%2Eb":"x","a%252Eb":"y"}');
  });

  test("fields without a type are left out", () => {
    expect(reportSerialiser(() => undefined)({ a: 1 }).attrs).toBe("{}");
  });
});

test("a document is the JSON text of any report", () => {
  const report = {
    text: 'a "quoted" \\ text\n',
    half: "a\ud800b",
    nothing: null,
    left: undefined,
    list: [],
    nested: { a: [1, null] },
    "odd.name": 1.5,
    "": "no name",
    none: Number.NaN,
  };
  expect(reportSerialiser(() => "string")(report).doc).toBe(JSON.stringify(report));
});

describe("properties are serialised according to their value", () => {
  test.for<[string, Record<string, unknown>, string]>([
    ["numbers, texts, booleans", { n: 1, s: "1", b: true }, '{"n":1e+0,"s":"1","b":true}'],
    ["nested objects as dotted names", { a: { b: { c: 1 } } }, '{"a%2Eb%2Ec":1e+0}'],
    ["the first of two equal names is kept", { a: { b: 1 }, "a.b": 2 }, '{"a%2Eb":1e+0}'],
    ["lists as texts", { l: [1, "a", [2]] }, '{"l":["1","a","[2]"]}'],
    ["nothing for null, NaN or an empty object", { a: null, b: Number.NaN, c: {}, d: undefined }, "{}"],
  ])("%s", ([, properties, text]) => {
    expect(formatProperties(properties)).toBe(text);
  });
});

test("times outside the limits of the engine become its first or last time", () => {
  expect(
    [new Date("0001-01-01T00:00:00Z"), new Date("2024-01-02T03:04:05.006Z"), new Date("9999-01-01T00:00:00Z")].map(
      formatInstant,
    ),
  ).toEqual(["1900-01-01 00:00:00.000", "2024-01-02 03:04:05.006", "2299-12-31 23:59:59.999"]);
});

test("a text with special characters is one cell", () => {
  expect(["a\tb", "c\nd", "e\\f", "g\0h", "plain"].map(formatCell)).toEqual([
    "a\\tb",
    "c\\nd",
    "e\\\\f",
    "g\\0h",
    "plain",
  ]);
  expect(formatJsonCell(JSON.stringify("a\tb\\c"))).toBe('"a\\\\tb\\\\\\\\c"');
});

describe.runIf(isClickhouse)("the engine returns unchanged", () => {
  let statements: Statements;

  beforeAll(async () => {
    statements = new Statements(await openChdbClient(), {});
    await migrate(statements, layoutOf(undefined));
  });

  afterAll(() => statements.close());

  const TEXTS = [
    "plain",
    "tab\tbreak\nreturn\rnull\0",
    "quote\"' back\\slash `tick`",
    "2024-01-01",
    "2024-01-01T00:00:00Z",
    "1",
    "true",
    "null",
    "{}",
    "é 日本 🎉",
    "",
  ];

  test("texts in attributes, lists, properties and documents", async () => {
    const fields = Object.fromEntries(TEXTS.map((text, index) => [`t${index}`, text]));
    const typeOf = (key: string): FieldType => (key === "list" ? "array" : "string");
    await statements.run(
      insertUsers(
        [
          {
            org: ORG,
            id: ID,
            accountId: undefined,
            createdAt: new Date(0),
            fields: { ...fields, list: TEXTS },
            version: 1,
          },
        ],
        typeOf,
      ),
    );
    await statements.run(
      insertEvents([
        {
          org: ORG,
          id: ID,
          event: TEXTS[1] ?? "",
          createdAt: new Date(0),
          eventId: "",
          userId: ID,
          originId: ID,
          properties: fields,
          context: {},
          doc: "{}",
          version: 1,
        },
      ]),
    );
    const stored = TEXTS.map((_, index) => `attrs.t${index}.:String`).join(", ");
    const [user] = await statements.rows<{ texts: string[]; list: string[]; doc: string }>(
      `select [${stored}] as texts, attrs.list.:\`Array(Nullable(String))\` as list, doc from users final`,
    );
    const [event] = await statements.rows<{ texts: string[]; event: string }>(
      `select [${stored.replaceAll("attrs", "properties")}] as texts, event from events final`,
    );
    expect(user).toEqual({ texts: TEXTS, list: TEXTS, doc: JSON.stringify({ ...fields, list: TEXTS }) });
    expect(event).toEqual({ texts: TEXTS, event: TEXTS[1] });
  });

  test("numbers, with all digits and as one type", async () => {
    const numbers = [0, 1, -1, 0.1, 1e21, 2 ** 53, Number.MAX_VALUE, Number.MIN_VALUE, 123456789.123456];
    const fields = Object.fromEntries(numbers.map((number, index) => [`n${index}`, number]));
    await statements.run(
      insertUsers(
        [{ org: ORG, id: ID, accountId: undefined, createdAt: new Date(0), fields, version: 2 }],
        () => "numeric",
      ),
    );
    const stored = numbers.map((_, index) => `toString(attrs.n${index}.:Float64)`).join(", ");
    const [row] = await statements.rows<{ numbers: string[] }>(`select [${stored}] as numbers from users final`);
    expect(row?.numbers.map(Number)).toEqual(numbers);
  });

  test("names with any characters", async () => {
    const names = [
      "a.b",
      "a%2Eb",
      "a%b",
      "back`tick",
      "back\\slash",
      "quote'\"",
      "new\nline",
      "{p0:String}",
      "space here",
      "é",
      "traits_crm/stage",
      "--",
      "/*",
      "1",
    ];
    const fields = Object.fromEntries(names.map((name) => [name, name]));
    await statements.run(
      insertUsers(
        [{ org: ORG, id: ID, accountId: undefined, createdAt: new Date(0), fields, version: 3 }],
        () => "string",
      ),
    );
    const [row] = await statements.rows<{ values: string[] }>(
      `select [${names.map((name) => `${jsonPath("attrs", name)}.:String`).join(", ")}] as values from users final`,
    );
    expect(row?.values).toEqual(names);
  });
});
