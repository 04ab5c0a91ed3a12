import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Questions } from "../../questions.js";
import { openEngine } from "../open-engine.js";
import { idOf, type Organization, openOrganization } from "../organization.test.kit.js";
import { eventOf, userDocument } from "../steps.test.kit.js";

const TEXTS: readonly string[] = [
  ...["plain", "tab\tbreak\nreturn\rnull\0", "quote\"' back\\slash `tick`", "é 日本 🎉", "", " ", " padded "],
  // Texts that could be read as another type.
  ...["2024-01-01", "2024-01-01T00:00:00Z", "1", "01", "1.0", "1e3", "-0", "0x10", "Infinity", "NaN", "nan"],
  ...["true", "false", "null", "NULL", "\\N", "{}", "[]", '["a"]', '{"a":1}', '"quoted"', "[a, b]", "a,b", "undefined"],
  // Texts that are special in formats and patterns.
  ...[
    "%",
    "_",
    "\\",
    "\\\\",
    "\\n",
    "\\u0041",
    "$1",
    "{p0:String}",
    "--",
    "/*",
    ";",
    "\r\n",
    "\n",
    "\t",
    "\0",
    "\b\f\v",
  ],
  ...["\u001b[0m", "\u007f", "\u0085", "\u00a0", "\u2028\u2029", "\ufeff", "\ufffd", "\uffff", "e\u0301", "\u{10ffff}"],
  ...["ß", "ẞ", "İ", "ı", "ﬁ", "Σς", "ǅ", "👩‍👩‍👧‍👦", "مرحبا", "\u202eabc"],
];

let questions: Questions;
let organization: Organization;

const ann = idOf("ann");
const BYSTANDER = idOf("bystander");

beforeAll(async () => {
  questions = await openEngine();
  const fields = Object.fromEntries(TEXTS.map((text, index) => [`t${index}`, text]));
  const prefixed = Object.fromEntries(TEXTS.map((text, index) => [`traits_t${index}`, text]));
  const types = Object.fromEntries(Object.keys(prefixed).map((key) => [key, "string" as const]));
  organization = await openOrganization(questions, {
    user: { ...types, traits_list: "array", traits_any: "string", traits_any_list: "array" },
  });
  const events = TEXTS.map((text, index) =>
    eventOf(idOf(`e${index}`), ann, {
      event: text,
      event_id: text,
      event_source: text,
      session_id: text,
      properties: { ...fields, list: [...TEXTS] },
      context: fields,
    }),
  );
  const written = [userDocument(ann, { ...prefixed, traits_list: [...TEXTS] }), userDocument(BYSTANDER, {})];
  await organization.write({ events }, { users: { written } });
});

afterAll(() => questions.close());

describe("a text is found by an equal text", () => {
  test.for(TEXTS.map((text, index) => [text, index] as const))("%j", async ([text, index]) => {
    const field = `t${index}.raw`;
    const must = [
      { term: { [field]: text } },
      { terms: { [field]: ["another", text] } },
      { range: { [field]: { gte: text, lte: text } } },
      { prefix: { [field]: text } },
      { match: { [field]: text } },
      { wildcard: { [field]: text.replace(/[*?\\]/g, "\\$&") } },
      { term: { "list.raw": text } },
    ];
    expect(await organization.find({ bool: { must } })).toBe("ann");
    const other = { bool: { should: [{ term: { [field]: `${text}x` } }, { bool: { must_not: must } }] } };
    expect(await organization.find(other)).toBe("bystander");
  });

  test.for(TEXTS.map((text, index) => [text, index] as const))("in events: %j", async ([text, index]) => {
    // In these columns an empty text means no value.
    const columns = text === "" ? [] : ["event_id", "source", "session_id"];
    const must = ["event", ...columns].map((column) => ({ term: { [column]: text } }));
    expect(await organization.find({ bool: { must } }, "event")).toBe(`e${index}`);
    const properties = [
      { term: { [`properties.t${index}.raw`]: text } },
      { term: { [`context.t${index}.raw`]: text } },
      { term: { "properties.list.raw": text } },
    ];
    expect(await organization.count({ bool: { must: properties } }, "event")).toBe(TEXTS.length);
  });
});

test("documents are returned with unchanged texts", async () => {
  const report = await organization.read(ann);
  expect(report?.traits_list).toEqual(TEXTS);
  TEXTS.forEach((text, index) => {
    expect(report?.[`traits_t${index}`], `t${index}`).toBe(text);
  });
  const event = await questions.findEvent(organization.id, idOf("e1"));
  expect(event).toMatchObject({ event: TEXTS[1], session_id: TEXTS[1], properties: { list: TEXTS, t1: TEXTS[1] } });
});

test("event names are counted without changes", async () => {
  const counts = (await questions.actionsOf(organization.id, ann)).counts;
  expect(Object.keys(counts).sort()).toEqual([...TEXTS].sort());
});

describe("half a surrogate pair", () => {
  const HALVES = ["a\ud800b", "\udc00", "\ud83d", "\udc00\ud83d"];

  test("is queried as the replacement character, and unchanged in the document", async () => {
    const one = await openOrganization(questions, { user: { traits_text: "string", traits_list: "array" } });
    await one.write(
      { events: HALVES.map((half, index) => eventOf(idOf(`e${index}`), ann, { properties: { half } })) },
      {
        users: {
          written: HALVES.map((half, index) =>
            userDocument(idOf(`u${index}`), { traits_text: half, traits_list: ["x", half] }),
          ),
        },
      },
    );
    expect(await one.find({ term: { "text.raw": "a\ufffdb" } })).toBe("u0");
    expect(await one.find({ term: { "list.raw": "\ufffd" } })).toBe("u1 u2");
    expect(await one.find({ term: { "text.raw": "\ufffd\ufffd" } })).toBe("u3");
    expect(await one.find({ term: { "properties.half.raw": "a\ufffdb" } }, "event")).toBe("e0");
    for (const [index, half] of HALVES.entries()) {
      expect(await one.read(idOf(`u${index}`))).toMatchObject({ traits_text: half, traits_list: ["x", half] });
    }
  });
});

test("long texts are found, to the last character", async () => {
  const one = await openOrganization(questions, { user: { traits_text: "string", traits_list: "array" } });
  // A query may contain texts of 32,768 characters, which have more bytes than that.
  const long = (end: string) => `${"寿司と天ぷら ".repeat(4_600)}${end}`;
  await one.write(
    { events: [eventOf(idOf("e1"), ann, { properties: { text: long("one") } })] },
    {
      users: {
        written: [
          userDocument(idOf("u1"), { traits_text: long("one"), traits_list: [long("one"), long("two")] }),
          userDocument(idOf("u2"), { traits_text: long("two") }),
        ],
      },
    },
  );
  expect(Buffer.byteLength(long("one"))).toBeGreaterThan(60_000);
  expect(await one.find({ term: { "text.raw": long("one") } })).toBe("u1");
  expect(await one.find({ term: { "text.raw": long("two") } })).toBe("u2");
  expect(await one.find({ term: { "text.raw": long("") } })).toBe("");
  expect(await one.find({ match: { text: "two" } })).toBe("u2");
  expect(await one.find({ wildcard: { "text.raw": "*one" } })).toBe("u1");
  expect(await one.find({ term: { "list.raw": long("two") } })).toBe("u1");
  expect(await one.find({ term: { "properties.text.raw": long("one") } }, "event")).toBe("e1");
  expect((await one.read(idOf("u1")))?.traits_text).toBe(long("one"));
});

test("any random text is found by an equal text, and returned", async () => {
  const text = fc.oneof(fc.string({ unit: "binary", maxLength: 60 }), fc.string({ unit: "grapheme", maxLength: 30 }));
  let version = 1;
  await fc.assert(
    fc.asyncProperty(fc.uniqueArray(text, { minLength: 1, maxLength: 20 }), async (texts) => {
      version += 1;
      const written = texts.map((one, index) =>
        userDocument(idOf(`any${index}`), { traits_any: one, traits_any_list: ["x", one] }, { version }),
      );
      await organization.write({}, { users: { written } });
      for (const [index, one] of texts.entries()) {
        const query = { bool: { must: [{ term: { "any.raw": one } }, { term: { "any_list.raw": one } }] } };
        const rows = await questions.page(organization.id, organization.select(query), { sort: [], limit: 100 });
        const own = rows.find((row) => row.id === idOf(`any${index}`));
        expect(own?.report, JSON.stringify(one)).toMatchObject({ traits_any: one, traits_any_list: ["x", one] });
      }
    }),
    { numRuns: 6 },
  );
});
