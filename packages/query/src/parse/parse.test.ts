import { describe, expect, test } from "vitest";
import { QueryError } from "../query-error.js";
import type { Target } from "../target.js";
import { parse } from "./parse.js";

function refusal(query: unknown, target: Target = "user"): string {
  try {
    parse(query, { target });
  } catch (error) {
    if (error instanceof QueryError) return error.message;
    throw error;
  }
  return "";
}

test("every node of the tree is frozen", () => {
  const tree = parse({ bool: { must: [{ terms: { plan: ["pro"] } }] } }, { target: "user" });
  const inner = tree.kind === "bool" ? tree.must[0] : undefined;
  expect(Object.isFrozen(tree)).toBe(true);
  expect(inner?.kind === "terms" && Object.isFrozen(inner.values) && Object.isFrozen(inner.field)).toBe(true);
});

test("the input is left as it was", () => {
  const input = { bool: { must: [{ term: { plan: "pro" } }] } };
  parse(input, { target: "user" });
  expect(Object.isFrozen(input.bool)).toBe(false);
});

test("an error has its path and its reason as separate properties", () => {
  const error = new QueryError("query.term", "expected exactly one field");
  expect([error.path, error.reason, error.message]).toEqual([
    "query.term",
    "expected exactly one field",
    "query.term: expected exactly one field",
  ]);
});

test("paths begin where the caller says", () => {
  expect(() => parse({ nope: {} }, { target: "user", path: "filter" })).toThrow("filter.nope: unknown clause");
});

describe("a query is refused with its path and what was expected", () => {
  test.for<[string, unknown, string, Target?]>([
    ["no object", [], "query: expected an object"],
    ["null", null, "query: expected an object"],
    ["text", "plan:pro", "query: expected an object"],
    ["several clauses in one", { term: { a: 1 }, exists: { field: "a" } }, "query: expected one clause, got 2"],
    ["an unknown clause", { geo_distance: {} }, "query.geo_distance: unknown clause; expected one of match_all"],
    ["a clause named like a built-in", { constructor: {} }, "query.constructor: unknown clause"],
    [
      "an unknown clause deep inside",
      { bool: { must: [{ bool: { should: [{}, { nope: 1 }] } }] } },
      "query.bool.must.0.bool.should.1.nope: unknown clause",
    ],
    ["an unknown part of a bool", { bool: { musst: [] } }, "query.bool.musst: unknown option; expected must, filter"],
    ["a bool of text", { bool: { must: "x" } }, "query.bool.must: expected a clause or a list of clauses"],
    ["a bool with a null clause", { bool: { must: [null] } }, "query.bool.must.0: expected an object"],
    [
      "an unreadable minimum",
      { bool: { should: [{}], minimum_should_match: "most" } },
      "query.bool.minimum_should_match: expected a number of clauses",
    ],
    [
      "a minimum with conditions",
      { bool: { should: [{}], minimum_should_match: "2<75%" } },
      "query.bool.minimum_should_match",
    ],
    ["match_all with more", { match_all: { field: 1 } }, "query.match_all.field: unknown option"],
    ["and of text", { and: "x" }, "query.and: expected a list"],
    ["and with more", { and: { filters: [], cache: true } }, "query.and.cache: unknown option"],
    ["not of two", { not: { filter: {}, query: {} } }, "query.not.query: unknown option"],
    ["filtered of nothing", { filtered: {} }, "query.filtered: expected query or filter"],
    [
      "constant_score with more",
      { constant_score: { filter: {}, must: [] } },
      "query.constant_score.must: unknown option",
    ],

    ["term of two fields", { term: { a: 1, b: 2 } }, "query.term: expected exactly one field"],
    ["term of no field", { term: {} }, "query.term: expected exactly one field"],
    ["term of null", { term: { a: null } }, "query.term.a: expected a string, a number or a boolean"],
    ["term of a list", { term: { a: ["x"] } }, "query.term.a: expected a string, a number or a boolean"],
    ["term of an empty name", { term: { "": 1 } }, "query.term.: expected the name of a field"],
    [
      "term with an option",
      { term: { a: { value: 1, case_insensitive: true } } },
      "query.term.a.case_insensitive: unknown option",
    ],
    ["term of no number", { term: { a: Number.NaN } }, "query.term.a: expected a string, a number or a boolean"],
    ["terms of one value", { terms: { a: "x" } }, "query.terms.a: expected a list"],
    ["terms with null inside", { terms: { a: ["x", null] } }, "query.terms.a.1: expected a string"],
    ["terms by look-up", { terms: { a: { index: "x" } } }, "query.terms.a: expected a list"],
    ["ids of numbers", { ids: { values: [1] } }, "query.ids.values.0: expected a string"],
    ["ids of nothing", { ids: {} }, "query.ids.values.0: expected a string"],
    ["a range without bounds", { range: { a: {} } }, "query.range.a: expected one of gt, gte, lt, lte"],
    ["a range with an unknown bound", { range: { a: { from: 1 } } }, "query.range.a.from: unknown option; expected gt"],
    ["a range of a boolean", { range: { a: { gt: true } } }, "query.range.a.gt: expected a number, a date or a string"],
    ["a range that is no object", { range: { a: 5 } }, "query.range.a: expected an object"],
    ["an unknown format", { range: { a: { gt: "1", format: "QQQ" } } }, "query.range.a.format: expected date formats"],
    [
      "an unknown time zone",
      { range: { a: { gt: "1", time_zone: "Nowhere/City" } } },
      "query.range.a.time_zone: expected an offset",
    ],
    ["exists of no field", { exists: {} }, "query.exists.field: expected the name of a field"],
    ["exists of a number", { exists: { field: 5 } }, "query.exists.field: expected the name of a field"],
    [
      "missing that does not mean missing",
      { missing: { field: "a", existence: false } },
      "query.missing.existence: expected true",
    ],
    ["a prefix of an object", { prefix: { a: {} } }, "query.prefix.a: expected a string"],
    [
      "a wildcard with an option",
      { wildcard: { a: { value: "x", case_insensitive: true } } },
      "query.wildcard.a.case_insensitive: unknown option",
    ],
    ["match of nothing", { match: { a: {} } }, "query.match.a.query: expected a string"],
    [
      "match with an unknown operator",
      { match: { a: { query: "x", operator: "xor" } } },
      "query.match.a.operator: expected one of and, or",
    ],
    [
      "match with an unknown type",
      { match: { a: { query: "x", type: "bag" } } },
      "query.match.a.type: expected one of boolean",
    ],
    ["a phrase with slop", { match_phrase: { a: { query: "x y", slop: 2 } } }, "query.match_phrase.a.slop: expected 0"],
    [
      "multi_match of a pattern of fields",
      { multi_match: { query: "x", fields: ["traits_*"] } },
      "query.multi_match.fields.0: expected the full name",
    ],
    [
      "multi_match of no fields",
      { multi_match: { query: "x", fields: [] } },
      "query.multi_match.fields: expected 1 to 64 fields",
    ],
    [
      "multi_match of an unknown type",
      { multi_match: { query: "x", type: "bool_prefix" } },
      "query.multi_match.type: expected one of best_fields",
    ],
    [
      "operators in a query string",
      { query_string: { query: "ann AND lee" } },
      'query.query_string.query: expected plain words; "AND" has no meaning',
    ],
    ["quotes in a query string", { query_string: { query: '"ann lee"' } }, "expected plain words"],
    ["a field in a query string", { query_string: { query: "name:ann" } }, "expected plain words"],
    ["a leading minus in a query string", { simple_query_string: { query: "ann -lee" } }, "expected plain words"],

    ["has_child without a query", { has_child: { type: "event" } }, "query.has_child: expected a query"],
    [
      "has_child of another type",
      { has_child: { type: "order", query: {} } },
      "query.has_child.type: expected one of event",
    ],
    [
      "has_child with a bad count",
      { has_child: { query: {}, min_children: -1 } },
      "query.has_child.min_children: expected a whole number",
    ],
    [
      "has_child with crossed counts",
      { has_child: { query: {}, min_children: 3, max_children: 2 } },
      "query.has_child.max_children: expected min_children or more",
    ],
    [
      "a bad query inside has_child",
      { with_child: { query: { nope: {} } } },
      "query.with_child.query.nope: unknown clause",
    ],
    ["children of events", { has_child: { query: {} } }, "query.has_child: events have no children", "event"],
    [
      "has_parent without a type",
      { has_parent: { query: {} } },
      "query.has_parent.type: expected one of user_report",
      "event",
    ],
    ["has_parent without a query", { has_parent: { type: "user" } }, "query.has_parent: expected a query", "event"],
    [
      "a parent user of a user",
      { has_parent: { type: "user", query: {} } },
      "query.has_parent.type: a query about users has no parent user",
    ],
    [
      "a parent of an account",
      { has_parent: { type: "account", query: {} } },
      "a query about accounts has no parent account",
      "account",
    ],
    ["parent_id of users", { parent_id: { id: "x" } }, "query.parent_id: only events have a parent id"],
  ])("%s", ([, query, message, target]) => {
    expect(refusal(query, target)).toContain(message);
  });
});

describe("a query that would cost too much is refused", () => {
  const nested = (depth: number): object => (depth === 0 ? {} : { bool: { must: nested(depth - 1) } });

  test.for<[string, unknown, string]>([
    ["depth", nested(40), "expected clauses at most 32 deep"],
    ["clauses", { bool: { should: Array.from({ length: 1_024 }, () => ({})) } }, "expected at most 1024 clauses"],
    [
      "values",
      { terms: { a: Array.from({ length: 10_001 }, (_, index) => index) } },
      "query.terms.a: expected at most 10000 values",
    ],
    ["a long value", { term: { a: "x".repeat(32_769) } }, "query.term.a: expected at most 32768 characters"],
    ["a long pattern", { wildcard: { a: "x".repeat(1_001) } }, "query.wildcard.a: expected at most 1000 characters"],
    [
      "a long regular expression",
      { regexp: { a: "x".repeat(1_001) } },
      "query.regexp.a: expected at most 1000 characters",
    ],
    ["many words", { match: { a: "x ".repeat(65) } }, "expected at most 64 words"],
    ["a long name", { exists: { field: "x".repeat(513) } }, "query.exists.field: expected at most 512 characters"],
  ])("%s", ([, query, message]) => {
    expect(refusal(query)).toContain(message);
  });

  test("a query at the limits is accepted", () => {
    expect(refusal(nested(31))).toBe("");
    expect(refusal({ terms: { a: Array.from({ length: 10_000 }, (_, index) => index) } })).toBe("");
  });
});
