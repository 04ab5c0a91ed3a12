import type { FieldType } from "@muster/query";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Report } from "../../../../domain/profiles/report.js";
import type { Questions } from "../../questions.js";
import { openEngine } from "../open-engine.js";
import { idOf, type Organization, openOrganization } from "../organization.test.kit.js";
import { eventOf, userDocument } from "../steps.test.kit.js";

let questions: Questions;

beforeAll(async () => {
  questions = await openEngine();
});

afterAll(() => questions.close());

describe("numbers", () => {
  const NUMBERS = [
    ...[
      0,
      1,
      -1,
      0.1,
      -0.1,
      1.5,
      0.1 + 0.2,
      1 / 3,
      100,
      123456789.123456,
      2 ** 31,
      -(2 ** 31),
      2 ** 32,
      2 ** 53,
      2 ** 63,
    ],
    ...[
      -(2 ** 53),
      2 ** 64,
      1e15,
      1e16,
      1e21,
      1e-7,
      1e100,
      Number.MAX_SAFE_INTEGER,
      Number.MAX_VALUE,
      -Number.MAX_VALUE,
    ],
    ...[Number.MIN_VALUE, Number.EPSILON, 5e-324, 1.7976931348623157e308, 4.35, 1.005, 0.07, 1718409600000],
  ].filter((number, index, all) => all.indexOf(number) === index);
  let organization: Organization;

  beforeAll(async () => {
    organization = await openOrganization(questions, { user: { traits_number: "numeric", traits_list: "array" } });
    await organization.write(
      { events: NUMBERS.map((number, index) => eventOf(idOf(`e${index}`), idOf("u0"), { properties: { number } })) },
      {
        users: {
          written: NUMBERS.map((number, index) =>
            userDocument(idOf(`u${index}`), { traits_number: number, traits_list: [number] }),
          ),
        },
      },
    );
  });

  test.for(NUMBERS.map((number, index) => [number, index] as const))(
    "%d is found to the last digit",
    async ([number, index]) => {
      expect(await organization.find({ term: { number } })).toBe(`u${index}`);
      expect(await organization.find({ term: { number: String(number) } })).toBe(`u${index}`);
      expect(await organization.find({ range: { number: { gte: number, lte: number } } })).toBe(`u${index}`);
      expect(await organization.find({ term: { list: String(number) } })).toBe(`u${index}`);
      expect(await organization.find({ term: { "properties.number": number } }, "event")).toBe(`e${index}`);
      expect(await organization.find({ range: { "properties.number": { gte: number, lte: number } } }, "event")).toBe(
        `e${index}`,
      );
      expect((await organization.read(idOf(`u${index}`)))?.traits_number).toBe(number);
      expect((await organization.read(idOf(`e${index}`), "event"))?.properties).toEqual({ number });
    },
  );
});

describe("dates", () => {
  const DATES = [
    ...["0001-01-01T00:00:00.000Z", "1582-10-15T00:00:00.000Z", "1899-12-31T23:59:59.999Z", "1900-01-01T00:00:00.000Z"],
    ...["1969-12-31T23:59:59.999Z", "1970-01-01T00:00:00.000Z", "2024-02-29T12:34:56.789Z", "2038-01-19T03:14:08.000Z"],
    ...["2262-04-12T00:00:00.000Z", "2299-12-31T23:59:59.999Z", "2300-01-01T00:00:00.000Z", "9999-12-31T23:59:59.999Z"],
  ];

  const nameAt = (index: number) => `u${index}`;
  let organization: Organization;

  beforeAll(async () => {
    organization = await openOrganization(questions, { user: { traits_at: "date" } });
    const events = DATES.map((date, index) => eventOf(idOf(`e${index}`), idOf("ann"), { created_at: date }));
    const written = DATES.map((date, index) => {
      return userDocument(idOf(nameAt(index)), { traits_at: date }, { createdAt: date });
    });
    await organization.write({ events }, { users: { written } });
  });

  test.for(DATES.map((date, index) => [date, index] as const))(
    "of an attribute are found at any time: %s",
    async ([date, index]) => {
      const time = Date.parse(date);
      expect(await organization.find({ term: { at: time } })).toBe(nameAt(index));
      expect(await organization.find({ range: { at: { gte: time, lte: time } } })).toBe(nameAt(index));
      expect(await organization.count({ range: { at: { gt: time } } })).toBe(DATES.length - index - 1);
      expect(await organization.count({ range: { at: { lt: time } } })).toBe(index);
      expect((await organization.read(idOf(nameAt(index))))?.traits_at).toBe(date);
    },
  );

  test("of events and of creation are returned unchanged and compared correctly", async () => {
    for (const [index, date] of DATES.entries()) {
      expect((await organization.read(idOf(nameAt(index))))?.created_at).toBe(date);
      expect((await organization.read(idOf(`e${index}`), "event"))?.created_at).toBe(date);
      expect(await questions.findEvent(organization.id, idOf(`e${index}`))).toMatchObject({ created_at: date });
    }
    for (const target of ["user", "event"] as const) {
      const inOrder = async (range: object) => organization.count({ range: { created_at: range } }, target);
      expect(await inOrder({ lt: "1901-01-01" }), target).toBe(4);
      expect(await inOrder({ gt: "2298-12-31" }), target).toBe(3);
      expect(await inOrder({ gte: "1970-01-01", lt: "2262-01-01" }), target).toBe(3);
      expect(await inOrder({ gte: "0001-01-01", lte: "9999-12-31" }), target).toBe(DATES.length);
    }
  });
});

describe("a value is stored according to the declared type of its field", () => {
  const VALUES: [string, FieldType, unknown, found: unknown[], notFound: unknown[]][] = [
    ["text", "string", "a", ["a"], ["A", "", "a "]],
    ["a number as text", "string", 12.5, ["12.5", 12.5], ["12"]],
    ["a boolean as text", "string", true, ["true", true], ["false"]],
    ["a list as text", "string", ["a", 1], ['["a",1]'], ["a"]],
    ["a number", "numeric", -1.5, [-1.5, "-1.5"], [1.5]],
    ["a text as number", "numeric", "12", [12, "12"], [1]],
    ["a boolean", "boolean", false, [false, "false"], [true]],
    ["a text as boolean", "boolean", "true", [true], [false]],
    ["a date", "date", "2024-01-01T00:00:00.000Z", ["2024-01-01", 1704067200000], ["2024-01-02"]],
    ["milliseconds as date", "date", 1704067200000, ["2024-01-01", 1704067200000], ["2024-01-02"]],
    ["a list", "array", ["a", 1, true, null, { b: 1 }], ["a", "1", 1, "true", '{"b":1}'], ["null", "b", ""]],
    ["a single value as list", "array", "alone", ["alone"], ["a"]],
    ["a list with an empty text", "array", ["", "a"], ["", "a"], ["b"]],
    ["JSON", "json", { a: [1], b: { c: null } }, ['{"a":[1],"b":{"c":null}}'], ['{"a":[1]}']],
    ["a text as JSON", "json", "plain", ['"plain"'], ["plain"]],
    ["half a surrogate pair", "string", "a\ud800b", ["a\ufffdb"], ["ab"]],
  ];
  const NO_VALUES: [string, FieldType, unknown][] = [
    ["null", "string", null],
    ["null as number", "numeric", null],
    ["null as boolean", "boolean", null],
    ["null as date", "date", null],
    ["null as list", "array", null],
    ["null as JSON", "json", null],
    ["an empty list", "array", []],
    ["a list of nulls", "array", [null, null]],
    ["a text that is not a date", "date", "never"],
    ["a text that is not a number", "numeric", "much"],
  ];
  let organization: Organization;
  let report: Record<string, unknown> | undefined;
  let counts: Map<string, number>;

  beforeAll(async () => {
    const [all, ann] = [[...VALUES, ...NO_VALUES], idOf("ann")];
    const types = Object.fromEntries(all.map(([name, type]) => [`traits_${name}`, type]));
    // Values of another type than their field are unlikely in a report, but possible.
    const fields = Object.fromEntries(all.map(([name, , value]) => [`traits_${name}`, value])) as Report;
    organization = await openOrganization(questions, { user: types });
    await organization.writeUsers(userDocument(ann, fields), userDocument(idOf("bob"), { name: "Bob" }));
    report = await organization.read(ann);
    ({ counts } = await questions.countAttributes(organization.id, "user"));
  });

  test.for(VALUES)("%s", async ([name, , value, found, notFound]) => {
    expect(await organization.find({ exists: { field: name } })).toBe("ann");
    const term = (asked: unknown) => ({ term: { [`${name}.raw`]: asked } });
    for (const asked of found) expect(await organization.find(term(asked)), String(asked)).toBe("ann");
    expect(await organization.find({ bool: { should: notFound.map(term) } })).toBe("");
    expect(counts.get(`traits_${name}`)).toBe(1);
    expect(report?.[`traits_${name}`]).toEqual(value);
  });

  test.for(NO_VALUES)("%s is not a value, and is part of the document", async ([name, , value]) => {
    expect(await organization.find({ exists: { field: name } })).toBe("");
    expect(await organization.find({ missing: { field: name } })).toBe("ann bob");
    expect(counts.get(`traits_${name}`) ?? 0).toBe(0);
    expect(report?.[`traits_${name}`]).toEqual(value);
  });

  test("an empty text is a value", async () => {
    const organization = await openOrganization(questions, { user: { traits_k: "string" } });
    await organization.writeUsers(userDocument(idOf("ann"), { traits_k: "" }), userDocument(idOf("bob"), {}));
    expect(await organization.find({ exists: { field: "k" } })).toBe("ann");
    expect(await organization.find({ term: { "k.raw": "" } })).toBe("ann");
    expect((await questions.countAttributes(organization.id, "user")).counts.get("traits_k")).toBe(1);
  });

  test("a field without a type cannot be queried, and is part of the document", async () => {
    const organization = await openOrganization(questions);
    const report = { traits_untyped: 1, "": "no name", "odd.name": { a: [1, null] } };
    await organization.writeUsers(userDocument(idOf("ann"), report));
    expect(await organization.find({ exists: { field: "untyped" } })).toBe("");
    expect(await organization.read(idOf("ann"))).toEqual(userDocument(idOf("ann"), report).report);
  });
});

describe("a property is stored according to its value", () => {
  const is = (field: string, value: unknown) => ({ term: { [`properties.${field}.raw`]: value } });
  const exists = (field: string) => ({ exists: { field: `properties.${field}` } });

  const PROPERTIES: [string, Record<string, unknown>, query: unknown, fits: boolean][] = [
    ["a number", { n: 1 }, is("n", 1), true],
    ["a number is in ranges", { n: 12 }, { range: { "properties.n": { gt: 9 } } }, true],
    [
      "a text that reads as a number is in no range of numbers",
      { n: "12" },
      { range: { "properties.n": { gt: 9 } } },
      false,
    ],
    ["a boolean", { b: true }, is("b", true), true],
    ["a boolean that is false exists", { b: false }, exists("b"), true],
    ["an empty text exists", { s: "" }, exists("s"), true],
    ["nested objects have dotted names", { a: { b: { c: 1 } } }, is("a.b.c", 1), true],
    ["an object itself is not a value", { a: { b: 1 } }, exists("a"), false],
    ["of two equal names the first counts", { a: { b: 1 }, "a.b": 2 }, is("a.b", 1), true],
    ["of two equal names the second does not", { a: { b: 1 }, "a.b": 2 }, is("a.b", 2), false],
    [
      "elements are texts",
      { l: [1, "a", [2]] },
      { bool: { must: [is("l", "1"), is("l", "a"), is("l", "[2]")] } },
      true,
    ],
    ["null elements are left out", { l: [null, "a"] }, is("l", "null"), false],
    ["an object in a list is its JSON", { l: [{ x: 1 }] }, is("l", '{"x":1}'), true],
    ["null is not a value", { a: null }, exists("a"), false],
    ["an empty object is not a value", { a: {} }, exists("a"), false],
    ["an empty list is not a value", { a: [] }, exists("a"), false],
    ["names that differ in case are two", { A: 1, a: 2 }, { bool: { must: [is("A", 1), is("a", 2)] } }, true],
  ];
  const CASES = PROPERTIES.map((one, index) => [...one, index] as const);
  let organization: Organization;

  beforeAll(async () => {
    organization = await openOrganization(questions);
    const events = CASES.map(([, properties, , , index]) => eventOf(idOf(`e${index}`), idOf("ann"), { properties }));
    await organization.write({ events });
  });

  test.for(CASES)("%s", async ([, properties, query, fits, index]) => {
    const own = { ids: { values: [idOf(`e${index}`)] } };
    expect(await organization.find({ bool: { must: [query, own] } }, "event")).toBe(fits ? `e${index}` : "");
    expect((await organization.read(idOf(`e${index}`), "event"))?.properties).toEqual(properties);
  });
});
