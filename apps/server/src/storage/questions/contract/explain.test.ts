import { afterAll, beforeAll, expect, test } from "vitest";
import type { Questions } from "../questions.js";
import { id, ORG, OTHER_ORG } from "./dataset.test.data.js";
import { selectionOf } from "./selection.test.kit.js";
import { openDataset } from "./write-dataset.test.kit.js";

let questions: Questions;

beforeAll(async () => {
  questions = await openDataset();
});

afterAll(() => questions.close());

function explain(name: string, query: unknown, target: "user" | "account" = "user") {
  return questions.explain(ORG, selectionOf(query, target), id(name));
}

const QUERY = {
  bool: {
    must: [
      { term: { plan: "pro" } },
      { range: { mrr: { gte: 50 } } },
      { term: { "account.plan": "enterprise" } },
      { has_child: { type: "event", query: { term: { event: "Order" } }, min_children: 3 } },
    ],
    should: [{ term: { langs: "de" } }, { exists: { field: "nothing" } }],
    must_not: [{ term: { segment_ids: id("readers") } }],
  },
};

test("every clause is explained with its result and the value it was compared with", async () => {
  expect(await explain("ann", QUERY)).toEqual({
    matches: true,
    clauses: [
      { path: "query.bool.must.0.term", sentence: 'plan is "pro"', negated: false, holds: true, seen: "pro" },
      { path: "query.bool.must.1.range", sentence: "mrr is at least 50", negated: false, holds: true, seen: 100 },
      {
        path: "query.bool.must.2.term",
        sentence: 'account.plan is "enterprise"',
        negated: false,
        holds: true,
        seen: "enterprise",
      },
      {
        path: "query.bool.must.3.has_child",
        sentence: 'did "Order" at least 3 times',
        negated: false,
        holds: true,
        seen: 3,
      },
      { path: "query.bool.should.0.term", sentence: 'langs is "de"', negated: false, holds: false, seen: ["en", "fr"] },
      { path: "query.bool.should.1.exists", sentence: "nothing is set", negated: false, holds: false, seen: null },
      {
        path: "query.bool.must_not.0.term",
        sentence: `is in the segment "${id("readers")}"`,
        negated: true,
        holds: false,
        seen: [id("buyers")],
      },
    ],
  });
});

test("the clauses that do not match can be recognised", async () => {
  const answer = await explain("bob", QUERY);
  expect(answer?.matches).toBe(false);
  expect(answer?.clauses.map(({ holds }) => holds)).toEqual([false, false, true, false, true, false, true]);
  expect(answer?.clauses.map(({ seen }) => seen)).toEqual([
    "free",
    0,
    "enterprise",
    1,
    ["de"],
    null,
    [id("buyers"), id("readers")],
  ]);
});

test("missing values are shown as null", async () => {
  const answer = await explain("gus", QUERY);
  expect(answer?.clauses.map(({ seen }) => seen)).toEqual([null, null, null, 0, [], null, []]);
});

test("values of every type are shown as in the report", async () => {
  const query = {
    bool: {
      should: ["vip", "renewal_at", "created_at", "meta", "id", "account_id", "account.segment_ids"].map((field) => ({
        exists: { field },
      })),
    },
  };
  const answer = await explain("ann", query);
  expect(answer?.clauses.map(({ seen }) => seen)).toEqual([
    true,
    "2024-06-15T00:00:00.000Z",
    "2024-01-01T00:00:00.000Z",
    { score: 7, kind: "gold star" },
    id("ann"),
    id("acme"),
    [id("partners")],
  ]);
});

test("an account is explained by the events of its users", async () => {
  const answer = await explain("acme", { has_child: { query: { term: { event: "Order" } } } }, "account");
  expect(answer).toMatchObject({ matches: true, clauses: [{ holds: true, seen: 4 }] });
});

test("a clause within a negated group counts as negated", async () => {
  const answer = await explain("ann", { not: { or: [{ term: { plan: "x" } }, { not: { term: { plan: "pro" } } }] } });
  expect(answer).toMatchObject({
    matches: true,
    clauses: [
      { negated: true, holds: false },
      { negated: false, holds: true },
    ],
  });
});

test("an unknown user, or one of another organization, is not explained", async () => {
  expect(await explain("zed", QUERY)).toBeUndefined();
  expect(await questions.explain(OTHER_ORG, selectionOf(QUERY), id("ann"))).toBeUndefined();
});

test("the id of an account is not explained as a user, nor the other way round", async () => {
  expect(await explain("acme", {}, "user")).toBeUndefined();
  expect(await explain("ann", {}, "account")).toBeUndefined();
});

test("a query without clauses has none to explain", async () => {
  expect(await explain("ann", { bool: {} })).toEqual({ matches: true, clauses: [] });
});
