import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type AggregationRow, compileAggregations } from "../compile/aggregations.js";
import { type ExplainRow, explainStatement } from "../compile/explain.js";
import { type SearchOptions, type SearchRow, searchStatement } from "../compile/search.js";
import type { Statement } from "../compile/statement.js";
import type { Catalog, Entity } from "../entity.js";
import { parse } from "../parse/parse.js";
import { parseAggregations } from "../parse/parse-aggregations.js";
import { parseSort } from "../parse/parse-sort.js";
import { insertEvents, insertUsers } from "../rows/insert-rows.js";
import { type Engine, openEngine } from "./engine.test.kit.js";

const ORG = "000000000000000000000001";
const NOW = new Date("2024-06-15T12:00:00.000Z");

/** Whatever anybody names is a declared text: names reach SQL, as identifiers. */
const ALL_TEXT: Catalog = { typeOf: () => "string" };

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

let engine: Engine;

beforeAll(async () => {
  engine = await openEngine();
  const fields = Object.fromEntries(ATTEMPTS.map((attempt) => [`traits_${attempt}`, attempt]));
  const properties = Object.fromEntries(ATTEMPTS.map((attempt) => [attempt, attempt]));
  const user = { org: ORG, accountId: undefined, createdAt: NOW, version: 1 };
  await engine.command(
    insertUsers(
      [
        { ...user, id: VICTIM, fields },
        { ...user, id: BYSTANDER, fields: { traits_plan: "pro" } },
      ],
      () => "string",
    ),
  );
  await engine.command(
    insertEvents(
      ATTEMPTS.map((event, index) => ({
        org: ORG,
        id: `65${index.toString(16).padStart(22, "0")}`,
        event,
        createdAt: NOW,
        eventId: event,
        userId: VICTIM,
        originId: VICTIM,
        properties,
        context: {},
        doc: "{}",
        version: 1,
      })),
    ),
  );
});

afterAll(() => engine.close());

function optionsFor(entity: Entity): SearchOptions {
  return { entity, org: ORG, catalog: ALL_TEXT, now: NOW };
}

function search(query: unknown, entity: Entity = "user", sort: unknown = []): Statement {
  return searchStatement(
    parse(query, { entity }),
    { sort: parseSort(sort, { entity }), limit: 1_000 },
    optionsFor(entity),
  );
}

async function found(query: unknown, entity: Entity = "user", sort: unknown = []): Promise<string[]> {
  return (await engine.rows<SearchRow>(search(query, entity, sort))).map((row) => row.id);
}

const escapePattern = (text: string) => text.replace(/[*?\\]/g, "\\$&");
const escapeRegexp = (text: string) => text.replace(/[.*+?^${}()|[\]\\/#&~@<>"'`!%,:;=-]/g, "\\$&");

describe("as a value, finds what holds it and nothing else:", () => {
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

describe("as a name, is a name:", () => {
  test.for(ATTEMPTS)("%j of a field that is asked for, sorted by, counted by and explained", async (attempt) => {
    const name = `traits_${attempt}.raw`;
    expect(await found({ exists: { field: name } }, "user", { [name]: "desc" })).toEqual([VICTIM]);
    expect(await found({ missing: { field: name } }, "user", { [`account.${name}`]: "asc" })).toEqual([BYSTANDER]);

    const aggs = {
      [attempt]: { terms: { field: name }, aggs: { [attempt]: { cardinality: { field: `account.${name}` } } } },
    };
    const [compiled] = compileAggregations(
      parse({}, { entity: "user" }),
      parseAggregations(aggs, { entity: "user" }),
      optionsFor("user"),
    );
    const rows = await engine.rows<AggregationRow>(compiled?.statements[0] ?? { sql: "", params: {} });
    expect(compiled?.read([rows])).toEqual({ buckets: [{ key: attempt, doc_count: 1, [attempt]: { value: 0 } }] });

    const explained = explainStatement(
      parse({ exists: { field: name } }, { entity: "user" }),
      VICTIM,
      optionsFor("user"),
    );
    expect(explained.read(await engine.rows<ExplainRow>(explained))?.clauses[0]?.seen).toBe(attempt);
  });

  test.for(ATTEMPTS)("%j of a property that events are sorted and counted by", async (attempt) => {
    const name = `properties.${attempt}.raw`;
    expect(await found({ exists: { field: name } }, "event", { [name]: "asc" })).toHaveLength(ATTEMPTS.length);
    const aggs = { it: { cardinality: { field: name } } };
    const [compiled] = compileAggregations(
      parse({}, { entity: "event" }),
      parseAggregations(aggs, { entity: "event" }),
      optionsFor("event"),
    );
    const rows = await engine.rows<AggregationRow>(compiled?.statements[0] ?? { sql: "", params: {} });
    expect(compiled?.read([rows])).toEqual({ value: 1 });
  });
});

test("the text of the SQL does not depend on the values", () => {
  const value = fc.oneof(fc.string(), fc.constantFrom(...ATTEMPTS));
  const clause = (text: string) => ({
    bool: {
      must: [{ term: { plan: text } }, { terms: { plan: [text, `${text}2`] } }, { wildcard: { "plan.raw": text } }],
      should: [{ range: { plan: { gte: text } } }, { prefix: { "plan.raw": text } }, { match: { "plan.raw": text } }],
      must_not: { has_child: { query: { bool: { must: [{ term: { event: text } }, { term: { source: text } }] } } } },
    },
  });
  // Equal values share a parameter, so the names of parameters say nothing.
  const shape = (text: string) => search(clause(text)).sql.replace(/\{p\d+:/g, "{p:");
  const expected = shape("a plain value");
  fc.assert(
    fc.property(value, (text) => {
      expect(shape(text)).toBe(expected);
    }),
  );
});

test("a name cannot leave its quotes, whatever it is", async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: "binary", minLength: 1, maxLength: 40 }), async (name) => {
      expect(await found({ term: { [`traits_${name}`]: "no such value" } })).toEqual([]);
    }),
    { numRuns: 200 },
  );
});

test("every table that is read is read for one organization", () => {
  const inner = {
    bool: {
      must: [
        { term: { segment_ids: VICTIM } },
        { term: { "account.plan": "x" } },
        { term: { "account.segment_ids": VICTIM } },
      ],
    },
  };
  const query = { bool: { must: [inner, { has_child: { query: { has_parent: { type: "user", query: inner } } } }] } };
  const { sql, params } = search(query, "user", [{ "account.plan": "asc" }, { segment_ids: "asc" }]);
  const org = Object.keys(params).find((name) => params[name] === ORG);
  const reads = sql.match(/from (?:users|accounts|events|memberships) /g) ?? [];
  const scoped = sql.match(new RegExp(`where org = \\{${org}:FixedString\\(24\\)\\}`, "g")) ?? [];
  expect(reads.length).toBeGreaterThan(10);
  expect(scoped.length).toBe(reads.length);
});
