import { expect, test } from "vitest";
import { parse } from "../parse/parse.js";
import type { Query } from "../query.js";
import { describeQuery } from "./describe.js";
import { changedClauses, isSameQuery } from "./same-query.js";

const tree = (query: unknown) => parse(query, { target: "user" });
const plan = { term: { plan: "pro" } };
const mrr = { range: { mrr: { gt: 1, lt: 5 } } };

test.each([
  ["the order of keys", mrr, { range: { mrr: { lt: 5, gt: 1 } } }],
  ["a list of one value", plan, { terms: { plan: ["pro"] } }],
  ["the order of values", { terms: { plan: ["a", "b"] } }, { terms: { plan: ["b", "a"] } }],
  ["the order of clauses", { bool: { must: [plan, mrr] } }, { bool: { filter: [mrr, plan] } }],
  ["brackets", { bool: { must: [plan, { bool: { must: [mrr] } }] } }, { bool: { must: [plan, mrr] } }],
  ["brackets around one clause", plan, { bool: { must: [{ bool: { should: [plan] } }] } }],
  ["everything", {}, { bool: { must: [{ match_all: {} }] } }],
])("%s does not count", (_what, one, other) => {
  expect(isSameQuery(tree(one), tree(other))).toBe(true);
});

test.each([
  ["another value", plan, { term: { plan: "free" } }],
  ["a text instead of a number", { term: { mrr: 1 } }, { term: { mrr: "1" } }],
  ["any instead of all", { bool: { must: [plan, mrr] } }, { bool: { should: [plan, mrr] } }],
  ["a negation", plan, { bool: { must_not: [plan] } }],
  ["another bound", mrr, { range: { mrr: { gte: 1, lt: 5 } } }],
  ["everything", plan, {}],
])("%s counts", (_what, one, other) => {
  expect(isSameQuery(tree(one), tree(other))).toBe(false);
});

test("the conditions that were added and removed are found", () => {
  const before = tree({ bool: { must: [plan, mrr], must_not: [{ term: { team: "red" } }] } });
  const after = tree({ bool: { must: [mrr, { bool: { must: [{ term: { plan: "free" } }] } }] } });
  const { added, removed } = changedClauses(before, after);
  const words = (queries: readonly Query[]) => queries.map((query) => describeQuery(query, { target: "user" }));
  expect({ added: words(added), removed: words(removed) }).toEqual({
    added: ['plan is "free"'],
    removed: ['plan is "pro"', 'team is not "red"'],
  });
  expect(changedClauses(after, after)).toEqual({ added: [], removed: [] });
});
