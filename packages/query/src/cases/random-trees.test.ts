import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type MembershipMatch, membershipStatement } from "../compile/memberships.js";
import { countStatement } from "../compile/search.js";
import type { Catalog, FieldType } from "../entity.js";
import { reportTest } from "../evaluate/report-test.js";
import { parse } from "../parse/parse.js";
import { insertEvents, insertUsers } from "../rows/insert-rows.js";
import { type Engine, openEngine } from "./engine.test.kit.js";
import { fits, type PlainDocument } from "./plain-evaluator.test.kit.js";

const ORG = "000000000000000000000001";
const NOW = new Date("2024-06-15T12:00:00.000Z");
const DAY_MS = 86_400_000;

const TYPES: Readonly<Record<string, FieldType>> = {
  traits_text: "string",
  traits_number: "numeric",
  traits_flag: "boolean",
  traits_renewal_at: "date",
  traits_list: "array",
};
const CATALOG: Catalog = { typeOf: (_, key) => TYPES[key] };

// Few values, so that clauses and documents meet.
const texts = fc.constantFrom(
  "",
  "pro",
  "Pro",
  "pro plus",
  "PLUS",
  "été",
  "ÉTÉ pro",
  "l’été",
  "a-b",
  "100%",
  "x_y",
  "日本 pro",
  "pro\nplus",
);
const numbers = fc.constantFrom(-1.5, 0, 1, 2, 10, 1e9);
const moments = fc.integer({ min: -3, max: 3 }).map((days) => NOW.getTime() + days * DAY_MS);
const eventNames = fc.constantFrom("Order", "Page", "order");

const documents: fc.Arbitrary<Omit<PlainDocument, "id">> = fc.record(
  {
    text: texts,
    number: numbers,
    flag: fc.boolean(),
    date: moments,
    list: fc.array(texts, { maxLength: 3 }),
    events: fc.array(fc.record({ name: eventNames, at: moments, size: numbers }, { requiredKeys: ["name", "at"] }), {
      maxLength: 4,
    }),
  },
  { requiredKeys: ["events"] },
);

const textField = fc.constantFrom("text", "text.raw", "list", "list.raw");
const patterns = fc.constantFrom("*", "pro", "p?o", "*PLUS", "é*", "x_y", "100%", "*-*", "?");

function bounds<Limit>(limits: fc.Arbitrary<Limit>) {
  return fc.dictionary(fc.constantFrom("gt", "gte", "lt", "lte"), limits, { minKeys: 1, maxKeys: 2 });
}

function clauseOn<Value>(kind: string, field: fc.Arbitrary<string>, value: fc.Arbitrary<Value>) {
  return fc.tuple(field, value).map(([name, asked]) => ({ [kind]: { [name]: asked } }));
}

const leaves = fc.oneof(
  clauseOn("term", textField, texts),
  clauseOn("terms", textField, fc.array(texts, { maxLength: 3 })),
  clauseOn("term", fc.constant("number"), numbers),
  clauseOn("terms", fc.constant("number"), fc.array(numbers, { maxLength: 3 })),
  clauseOn("term", fc.constant("flag"), fc.boolean()),
  clauseOn("term", fc.constant("renewal_at"), moments),
  clauseOn("range", fc.constant("number"), bounds(numbers)),
  clauseOn("range", fc.constant("renewal_at"), bounds(moments)),
  clauseOn("prefix", textField, fc.constantFrom("", "p", "P", "PRO p", "é", "pl", "a-")),
  clauseOn("wildcard", textField, patterns),
  clauseOn("match", textField, texts),
  clauseOn("match_phrase", textField, texts),
  fc.constantFrom("text", "number", "flag", "renewal_at", "list", "unknown").map((field) => ({ exists: { field } })),
  fc.constantFrom("text", "number", "flag", "renewal_at", "list", "unknown").map((field) => ({ missing: { field } })),
  clauseOn("term", fc.constant("unknown"), texts),
);

const eventLeaves = fc.oneof(
  clauseOn("term", fc.constant("event"), eventNames),
  clauseOn("range", fc.constant("created_at"), bounds(moments)),
  clauseOn("range", fc.constant("properties.size"), bounds(numbers)),
  clauseOn("term", fc.constant("properties.size"), numbers),
  fc.constant({ exists: { field: "properties.size" } }),
);

type Tree = Record<string, unknown>;

function boolOf(clause: fc.Arbitrary<Tree>): fc.Arbitrary<Tree> {
  const list = fc.array(clause, { maxLength: 3 });
  const parts = {
    must: list,
    filter: list,
    should: list,
    must_not: list,
    minimum_should_match: fc.integer({ min: 0, max: 3 }),
  };
  return fc.record(parts, { requiredKeys: [] }).map((bool) => ({ bool }));
}

const eventTrees = fc.oneof(eventLeaves, boolOf(eventLeaves));
const children = fc
  .record(
    { query: eventTrees, min_children: fc.integer({ min: 0, max: 2 }), max_children: fc.integer({ min: 2, max: 3 }) },
    { requiredKeys: ["query", "min_children"] },
  )
  .map((child) => ({ has_child: child }));

const { tree } = fc.letrec<{ tree: Tree }>((tie) => ({
  tree: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    leaves,
    children,
    boolOf(tie("tree")),
    tie("tree").map((clause) => ({ not: clause })),
  ),
}));

const DOCUMENTS: readonly PlainDocument[] = fc
  .sample(documents, { numRuns: 120, seed: 20240615 })
  .map((document, index) => ({ ...document, id: hex(0x64, index) }));

function hex(head: number, number: number): string {
  return `${head.toString(16)}${number.toString(16).padStart(22, "0")}`;
}

function reportOf({ text, number, flag, date, list }: PlainDocument): Record<string, unknown> {
  return { traits_text: text, traits_number: number, traits_flag: flag, traits_renewal_at: date, traits_list: list };
}

let engine: Engine;

beforeAll(async () => {
  engine = await openEngine();
  const users = DOCUMENTS.map((document) => ({
    org: ORG,
    id: document.id,
    accountId: undefined,
    createdAt: NOW,
    fields: reportOf(document),
    version: 1,
  }));
  const events = DOCUMENTS.flatMap(({ id, events: done }) => done.map((event) => ({ ...event, userId: id })));
  await engine.command(insertUsers(users, (key) => TYPES[key]));
  await engine.command(
    insertEvents(
      events.map(({ userId, name, at, size }, index) => ({
        org: ORG,
        id: hex(0x65, index),
        event: name,
        eventId: String(index),
        createdAt: new Date(at),
        userId,
        originId: userId,
        properties: { size },
        context: {},
        doc: "{}",
        version: 1,
      })),
    ),
  );
});

afterAll(() => engine.close());

test("any query means in the engine what it means to a plain reading of the documents", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(tree, { minLength: 1, maxLength: 8 }), async (queries) => {
      const segments = queries.map((query, index) => ({
        id: hex(0x66, index),
        query: parse(query, { entity: "user" }),
      }));
      const statement = membershipStatement(segments, { org: ORG, catalog: CATALOG, now: NOW, entity: "user" });
      const rows = await engine.rows<MembershipMatch>(statement);
      const answered = new Map(rows.map((row) => [row.id, row.segment_ids]));
      for (const document of DOCUMENTS) {
        const expected = segments.filter((_, index) => fits(queries[index] ?? {}, document)).map(({ id }) => id);
        expect(answered.get(document.id) ?? [], JSON.stringify(document)).toEqual(expected);
      }
    }),
    { numRuns: 100 },
  );
}, 120_000);

test("a query tested on reports, with what they do not tell answered by the engine, fits them as in the engine", async () => {
  const options = { org: ORG, catalog: CATALOG, now: NOW, entity: "user" } as const;
  let questions = 0;
  await fc.assert(
    fc.asyncProperty(tree, async (query) => {
      const test = reportTest(parse(query, { entity: "user" }), options);
      expect(test).toBeDefined();
      if (!test) return;
      questions += test.questions.length;
      const rows =
        test.questions.length === 0
          ? []
          : await engine.rows<MembershipMatch>(membershipStatement(test.questions, options));
      const answers = new Map(rows.map((row) => [row.id, new Set(row.segment_ids)]));
      for (const document of DOCUMENTS) {
        const fitting = test.fits(reportOf(document), answers.get(document.id) ?? new Set());
        expect(fitting, document.id).toBe(fits(query, document));
      }
    }),
    { numRuns: 300 },
  );
  expect(questions).toBeGreaterThan(50);
}, 120_000);

test("any query counts the same alone as among others", async () => {
  await fc.assert(
    fc.asyncProperty(tree, async (query) => {
      const options = { org: ORG, catalog: CATALOG, now: NOW, entity: "user" } as const;
      const [row] = await engine.rows<{ count: number }>(countStatement(parse(query, { entity: "user" }), options));
      expect(Number(row?.count)).toBe(DOCUMENTS.filter((document) => fits(query, document)).length);
    }),
    { numRuns: 150 },
  );
}, 120_000);

test("a query that does not fit the types of its fields cannot be tested, wherever the misfit is", () => {
  const options = { catalog: CATALOG, now: NOW, entity: "user" } as const;
  for (const query of [
    { term: { number: "many" } },
    { bool: { must_not: [{ prefix: { number: "1" } }] } },
    { has_child: { type: "event", query: { range: { created_at: { gte: "someday" } } } } },
  ]) {
    expect(reportTest(parse(query, { entity: "user" }), options)).toBeUndefined();
  }
});
