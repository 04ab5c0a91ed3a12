import { DAY_MS } from "@muster/protocol";
import { type AttributeTypes, type FieldType, parse, type Question, reportTest } from "@muster/query";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { sized } from "../../../../../../../testing/test-length.js";
import type { Report } from "../../../../domain/profiles/report.js";
import type { Questions } from "../../questions.js";
import { NOW, ORG } from "../dataset.test.data.js";
import { openEngine } from "../open-engine.js";
import { changeOf, eventOf, stepOf, typesOf, userDocument } from "../steps.test.kit.js";
import { fits, type PlainDocument } from "./plain-evaluator.test.kit.js";

const TYPES: Readonly<Record<string, FieldType>> = {
  traits_text: "string",
  traits_number: "numeric",
  traits_flag: "boolean",
  traits_renewal_at: "date",
  traits_list: "array",
};
const ATTRIBUTE_TYPES: AttributeTypes = { typeOf: (_, key) => TYPES[key] };

// Few values, so that clauses often match documents.
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

function reportOf({ text, number, flag, date, list }: PlainDocument): Report {
  return {
    ...(text === undefined ? {} : { traits_text: text }),
    ...(number === undefined ? {} : { traits_number: number }),
    ...(flag === undefined ? {} : { traits_flag: flag }),
    ...(date === undefined ? {} : { traits_renewal_at: date }),
    ...(list === undefined ? {} : { traits_list: [...list] }),
  };
}

let questions: Questions;

beforeAll(async () => {
  questions = await openEngine();
  const written = DOCUMENTS.map((document) => userDocument(document.id, reportOf(document)));
  const events = DOCUMENTS.flatMap(({ id, events: done }) => done.map((event) => ({ ...event, userId: id }))).map(
    ({ userId, name, at, size }, index) =>
      eventOf(hex(0x65, index), userId, {
        event: name,
        created_at: new Date(at).toISOString(),
        properties: { size },
      }),
  );
  await questions.begin(ORG, "first");
  await questions.endDocuments(ORG, 0);
  await questions.writeChanges(
    ORG,
    stepOf([changeOf(1, { events })], { users: { written }, typeOf: typesOf({ user: TYPES, account: {} }) }),
  );
});

afterAll(() => questions.close());

const selected = { attributeTypes: ATTRIBUTE_TYPES, now: NOW, target: "user" } as const;
const IDS = DOCUMENTS.map(({ id }) => id);

function answer(asked: readonly Question[]): Promise<Map<string, ReadonlySet<string>>> {
  return questions.answer(ORG, asked, IDS, selected);
}

test("for any query the engine selects the same documents as the plain evaluator", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(tree, { minLength: 1, maxLength: 8 }), async (queries) => {
      const segments = queries.map((query, index) => ({
        id: hex(0x66, index),
        query: parse(query, { target: "user" }),
      }));
      const answered = await answer(segments);
      for (const document of DOCUMENTS) {
        const expected = segments.filter((_, index) => fits(queries[index] ?? {}, document)).map(({ id }) => id);
        expect([...(answered.get(document.id) ?? [])].sort(), JSON.stringify(document)).toEqual(expected);
      }
    }),
    { numRuns: sized(15, 100) },
  );
}, 120_000);

test("a query tested on reports, with the engine's answers for what reports do not contain, selects the same as the engine", async () => {
  let asked = 0;
  await fc.assert(
    fc.asyncProperty(tree, async (query) => {
      const test = reportTest(parse(query, { target: "user" }), selected);
      if (!test) throw new Error("The query must be testable on reports.");
      asked += test.questions.length;
      const answers = await answer(test.questions);
      for (const document of DOCUMENTS) {
        const fitting = test.fits(reportOf(document), answers.get(document.id) ?? new Set());
        expect(fitting, document.id).toBe(fits(query, document));
      }
    }),
    { numRuns: sized(50, 300) },
  );
  expect(asked).toBeGreaterThan(sized(7, 50));
}, 120_000);

test("any query selects the same alone as together with others", async () => {
  await fc.assert(
    fc.asyncProperty(tree, async (query) => {
      const count = await questions.count(ORG, { ...selected, query: parse(query, { target: "user" }) });
      expect(count).toBe(DOCUMENTS.filter((document) => fits(query, document)).length);
    }),
    { numRuns: sized(20, 150) },
  );
}, 120_000);

test("a query that does not fit the types of its fields cannot be tested", () => {
  for (const query of [
    { term: { number: "many" } },
    { bool: { must_not: [{ prefix: { number: "1" } }] } },
    { has_child: { type: "event", query: { range: { created_at: { gte: "someday" } } } } },
  ]) {
    expect(reportTest(parse(query, { target: "user" }), selected)).toBeUndefined();
  }
});
