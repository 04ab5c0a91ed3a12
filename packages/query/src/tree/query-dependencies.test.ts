import { describe, expect, test } from "vitest";
import { parse } from "../parse/parse.js";
import { changesWithTime } from "./changes-with-time.js";
import { type QueryDependencies, queryDependencies } from "./query-dependencies.js";
import { unknownFields } from "./unknown-fields.js";

const NOTHING: QueryDependencies = {
  user: [],
  account: [],
  events: [],
  anyEvent: false,
  segments: [],
  anySegment: false,
};

describe("what a query depends on", () => {
  test.for<[string, unknown, Partial<QueryDependencies>]>([
    ["nothing", {}, {}],
    [
      "attributes by one name",
      {
        bool: {
          must: [{ term: { traits_plan: "x" } }, { exists: { field: "plan.raw" } }],
          must_not: { term: { email: "x" } },
        },
      },
      { user: ["plan", "email"] },
    ],
    [
      "the account's attributes",
      { or: [{ term: { "account.plan": "x" } }, { has_parent: { type: "account", query: { term: { tier: 1 } } } }] },
      { account: ["plan", "tier"] },
    ],
    [
      "an attribute of the account whose name begins like the prefix of users",
      { term: { "account.traits_tier": "x" } },
      { account: ["traits_tier"] },
    ],
    ["events by name", { has_child: { query: { term: { event: "Order" } } } }, { events: ["Order"] }],
    [
      "events by several names",
      {
        has_child: {
          query: { bool: { filter: [{ exists: { field: "props.a" } }, { terms: { event: ["A", "B"] } }] } },
        },
      },
      { events: ["A", "B"] },
    ],
    [
      "events by a choice of names",
      { has_child: { query: { or: [{ term: { event: "A" } }, { term: { event: "B" } }] } } },
      { events: ["A", "B"] },
    ],
    [
      "any event, when one choice has no name",
      { has_child: { query: { or: [{ term: { event: "A" } }, { exists: { field: "props.a" } }] } } },
      { anyEvent: true },
    ],
    [
      "any event, when names are excluded",
      { has_child: { query: { bool: { must_not: { term: { event: "A" } } } } } },
      { anyEvent: true },
    ],
    ["segments by id", { terms: { segment_ids: ["s1", "s2"] } }, { user: ["segment_ids"], segments: ["s1", "s2"] }],
    ["the account's segments", { term: { account_segment_ids: "s3" } }, { account: ["segment_ids"], segments: ["s3"] }],
    ["any segment", { exists: { field: "segment_ids" } }, { user: ["segment_ids"], anySegment: true }],
  ])("%s", ([, query, reads]) => {
    expect(queryDependencies(parse(query, { target: "user" }), "user")).toEqual({ ...NOTHING, ...reads });
  });

  test("a query about events depends on the events that it can match", () => {
    const query = {
      bool: { must: [{ term: { event: "Order" } }, { has_parent: { type: "user", query: { term: { plan: "x" } } } }] },
    };
    expect(queryDependencies(parse(query, { target: "event" }), "event")).toEqual({
      ...NOTHING,
      user: ["plan"],
      events: ["Order"],
    });
  });
});

describe("whether the answer changes with time alone", () => {
  test.for<[unknown, boolean]>([
    [{}, false],
    [{ range: { created_at: { gte: "2024-01-01" } } }, false],
    [{ range: { created_at: { gte: "now-30d/d" } } }, true],
    [{ term: { created_at: "now/d" } }, true],
    [{ match: { created_at: "now/d" } }, true],
    [{ term: { plan: "nowhere" } }, false],
    [{ bool: { must_not: [{ has_child: { query: { range: { created_at: { gte: "now-1d" } } } } }] } }, true],
    [{ has_child: { query: { term: { event: "now" } } } }, true],
  ])("%j", ([query, expected]) => {
    expect(changesWithTime(parse(query, { target: "user" }))).toBe(expected);
  });
});

test("the fields that do not exist are found once each, wherever a clause names them", () => {
  const attributeTypes = {
    typeOf: (_: string, key: string) => (key === "traits_plan" ? ("string" as const) : undefined),
  };
  const query = {
    bool: {
      must: [
        { term: { plan: "x" } },
        { term: { email: "x" } },
        { term: { tier: 1 } },
        { exists: { field: "tier.raw" } },
      ],
      should: [{ has_parent: { type: "account", query: { term: { tier: 1 } } } }],
      must_not: [{ has_child: { type: "event", query: { term: { "properties.total": 1 } } } }],
    },
  };
  expect(unknownFields(parse(query, { target: "user" }), attributeTypes)).toMatchObject([
    { path: "query.bool.must.2.term", target: "user", key: "tier" },
    { target: "account", key: "tier" },
  ]);
});
