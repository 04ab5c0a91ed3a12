import { type AttributeTypes, parseAggregations, parseSort, type Target } from "@muster/query";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sized } from "../../../../../../../testing/test-length.js";
import type { Selection } from "../../asking.js";
import type { Questions } from "../../questions.js";
import { ORG } from "../dataset.test.data.js";
import { openEngine } from "../open-engine.js";
import { selectionOf } from "../selection.test.kit.js";
import { changeOf, eventOf, stepOf, typesOf, userDocument } from "../steps.test.kit.js";

/** Every name is declared as a text attribute, so that names from queries become identifiers in SQL. */
const ALL_TEXT: AttributeTypes = { typeOf: () => "string" };

const ATTEMPTS = [
  "'; drop table users; --",
  "' or 1=1 --",
  "\\' or 1=1 --",
  "` or 1=1 --",
  "\\` or 1=1 --",
  "``",
  "a`.:String = '' or attrs.`b",
  "\\",
  "\\\\",
  "\\\\`",
  "a\\",
  ") or (1=1",
  "1) union all select * from users --",
  "{p0:String}",
  "{p0:Identifier}",
  "{{p0:String}}",
  "$(p0)",
  "?",
  "%s%n",
  "/* */",
  "-- x",
  "# x",
  ";",
  "a;b",
  "a\nb",
  "a\r\nformat JSON",
  "a\tb",
  "a\0b",
  "\u001a",
  "\u2018\u2019\u201c\u201d\uff07",
  "\u202eevil",
  "x' format TabSeparated settings max_threads=0",
  "\\x27 or 1=1",
  "\\u0027",
  "&#39;",
  "sleep(3)",
  "throwIf(1)",
  "now()",
  "null",
  "true",
  "%",
  "_",
  "%2E",
  "*",
  "a.b.c",
  ".:String",
  "\ud83d\ude00",
];

const VICTIM = "640000000000000000000001";
const BYSTANDER = "640000000000000000000002";

let questions: Questions;

beforeAll(async () => {
  questions = await openEngine();
  const fields = Object.fromEntries(ATTEMPTS.map((attempt) => [`traits_${attempt}`, attempt]));
  const properties = Object.fromEntries(ATTEMPTS.map((attempt) => [attempt, attempt]));
  const written = [userDocument(VICTIM, fields), userDocument(BYSTANDER, { traits_plan: "pro" })];
  const events = ATTEMPTS.map((event, index) =>
    eventOf(`65${index.toString(16).padStart(22, "0")}`, VICTIM, { event, event_id: event, properties }),
  );
  await questions.begin(ORG, "first");
  await questions.endDocuments(ORG, 0);
  const types = Object.fromEntries([...Object.keys(fields), "traits_plan"].map((key) => [key, "string" as const]));
  const typeOf = typesOf({ user: types, account: {} });
  await questions.writeChanges(ORG, stepOf([changeOf(1, { events })], { users: { written }, typeOf }));
});

afterAll(() => questions.close());

function select(query: unknown, target: Target = "user"): Selection {
  return selectionOf(query, target, ALL_TEXT);
}

async function found(query: unknown, target: Target = "user", sort: unknown = []): Promise<string[]> {
  const page = { sort: parseSort(sort, { target }), limit: 1_000 };
  return (await questions.page(ORG, select(query, target), page)).map((row) => row.id);
}

async function aggregate(aggs: unknown, target: Target): Promise<Record<string, unknown>> {
  return questions.aggregate(ORG, select({}, target), parseAggregations(aggs, { target }));
}

const escapePattern = (text: string) => text.replace(/[*?\\]/g, "\\$&");
const escapeRegexp = (text: string) => text.replace(/[.*+?^${}()|[\]\\/#&~@<>"'`!%,:;=-]/g, "\\$&");

describe("as a value, selects the rows with this value and no others:", () => {
  test.for(ATTEMPTS)("%j", async (attempt) => {
    const field = `traits_${attempt}.raw`;
    const queries = [
      { term: { [field]: attempt } },
      { terms: { [field]: [attempt, "something else"] } },
      { range: { [field]: { gte: attempt, lte: attempt } } },
      { prefix: { [field]: attempt } },
      { wildcard: { [field]: escapePattern(attempt) } },
      { match: { [field]: attempt } },
      { match_phrase_prefix: { [field]: attempt } },
    ];
    expect(await found({ bool: { must: queries } })).toEqual([VICTIM]);
  });

  test.for(ATTEMPTS)("%j in a regular expression", async (attempt) => {
    const query = { regexp: { [`traits_${attempt}.raw`]: escapeRegexp(attempt) } };
    expect(await found(query)).toEqual([VICTIM]);
  });

  test.for(ATTEMPTS)("%j as words", async (attempt) => {
    const query = { bool: { must_not: { match: { [`traits_${attempt}`]: `${attempt} zzz` } } } };
    expect(await found(query)).toContain(BYSTANDER);
  });

  test.for(ATTEMPTS)("%j as an event and its property", async (attempt) => {
    const event = {
      bool: { must: [{ term: { event: attempt } }, { term: { [`properties.${attempt}.raw`]: attempt } }] },
    };
    expect(await found({ has_child: { type: "event", query: event } })).toEqual([VICTIM]);
    expect(await found(event, "event")).toHaveLength(1);
  });

  test.for(ATTEMPTS)("%j as an id, a segment or an account", async (attempt) => {
    const fields = ["id", "_id", "segment_ids", "account_id", "account.id", "account_segment_ids"];
    const should = [{ ids: { values: [attempt] } }, ...fields.map((field) => ({ term: { [field]: attempt } }))];
    expect(await found({ bool: { should } })).toEqual([]);
  });
});

describe("as a name, is only a name:", () => {
  test.for(ATTEMPTS)("%j of a field that is asked for, sorted by, counted by and explained", async (attempt) => {
    const name = `traits_${attempt}.raw`;
    expect(await found({ exists: { field: name } }, "user", { [name]: "desc" })).toEqual([VICTIM]);
    expect(await found({ missing: { field: name } }, "user", { [`account.${name}`]: "asc" })).toEqual([BYSTANDER]);

    const aggs = {
      [attempt]: { terms: { field: name }, aggs: { [attempt]: { cardinality: { field: `account.${name}` } } } },
    };
    const buckets = [{ key: attempt, doc_count: 1, [attempt]: { value: 0 } }];
    expect(await aggregate(aggs, "user")).toEqual({ [attempt]: { buckets } });

    const explained = await questions.explain(ORG, select({ exists: { field: name } }), VICTIM);
    expect(explained?.clauses[0]?.seen).toBe(attempt);
  });

  test.for(ATTEMPTS)("%j of a property that events are sorted and counted by", async (attempt) => {
    const name = `properties.${attempt}.raw`;
    expect(await found({ exists: { field: name } }, "event", { [name]: "asc" })).toHaveLength(ATTEMPTS.length);
    const aggs = { it: { cardinality: { field: name } } };
    expect(await aggregate(aggs, "event")).toEqual({ it: { value: 1 } });
  });
});

test("no value is read as SQL", async () => {
  const value = fc.oneof(fc.string({ unit: "binary", maxLength: 40 }), fc.constantFrom(...ATTEMPTS));
  await fc.assert(
    fc.asyncProperty(value, async (text) => {
      const absent = `no such value ${text}`;
      const pattern = escapePattern(absent);
      const should = [
        { term: { "plan.raw": absent } },
        { terms: { "plan.raw": [absent, `${absent}2`] } },
        { wildcard: { "plan.raw": pattern } },
        { prefix: { "plan.raw": absent } },
        { match: { "plan.raw": absent } },
        { match_phrase: { plan: absent } },
        { has_child: { query: { bool: { should: [{ term: { event: absent } }, { term: { source: absent } }] } } } },
        { range: { "plan.raw": { gt: `z${text}` } } },
      ];
      expect(await found({ bool: { should } })).toEqual([]);
    }),
    { numRuns: sized(12, 100) },
  );
});

test("no name is read as SQL", async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: "binary", minLength: 1, maxLength: 40 }), async (name) => {
      expect(await found({ term: { [`traits_${name}`]: "no such value" } })).toEqual([]);
    }),
    { numRuns: sized(12, 100) },
  );
});
