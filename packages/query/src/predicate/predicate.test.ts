import { describe, expect, test } from "vitest";
import { parse } from "../parse/parse.js";
import type { AttributeTypes, FieldType } from "../target.js";
import { predicateToQuery } from "./predicate-to-query.js";
import { queryToPredicate } from "./query-to-predicate.js";

const TYPES: Readonly<Record<string, FieldType>> = {
  traits_plan: "string",
  traits_zip: "string",
  traits_mrr: "numeric",
  traits_vip: "boolean",
  traits_renewal_at: "date",
};
const ATTRIBUTE_TYPES: AttributeTypes = { typeOf: (_, key) => TYPES[key] };

function property(key: string, operator: string, value?: unknown, more: object = {}) {
  return { property: { key, ...more }, operator, ...(value !== undefined && { options: { value } }) };
}

describe("a predicate is refused", () => {
  test.for<[string, unknown, string]>([
    ["of no known form", { nope: 1 }, "predicate: expected a group with predicates, a property or an event"],
    ["with an unknown operator", property("a", "sounds_like", "x"), "predicate.operator: expected one of equals"],
    ["with an unknown group", { type: "some", predicates: [] }, "predicate.type: expected one of all, any, none"],
    ["without its value", property("a", "equals"), "predicate.options.value: expected a string, a number or a boolean"],
    [
      "with half a pair",
      { type: "all", predicates: [property("a", "between", [1])] },
      "predicate.predicates.0.options.value.1: expected a string",
    ],
    [
      "with an unreadable span",
      property("a", "in_last", "a while"),
      "predicate.options.value: expected a span such as 30d",
    ],
    ["with an unreadable window", { event: { name: "A" }, within: "1 day" }, "predicate.within: expected a span"],
    ["with an event without a name", { event: {} }, "predicate.event.name: expected a string"],
    ["with a bad count", { event: { name: "A" }, count: -1 }, "predicate.count: expected a whole number"],
    [
      "with a bad condition on the event",
      { event: { name: "A" }, where: [{}] },
      "predicate.where.0: expected a property",
    ],
    ["with an unknown part", { ...property("a", "is_set"), extra: 1 }, "predicate.extra: unknown option"],
  ])("%s", ([, predicate, message]) => {
    expect(() => predicateToQuery(predicate, { target: "user" })).toThrow(message);
  });
});

describe("the predicate of a query", () => {
  test.for<[string, unknown, unknown]>([
    [
      "a value",
      { term: { plan: "pro" } },
      { type: "all", predicates: [property("plan", "equals", "pro", { type: "string", entity: "user" })] },
    ],
    [
      "a negation",
      { not: { term: { plan: "pro" } } },
      { type: "all", predicates: [property("plan", "not_equals", "pro", { type: "string", entity: "user" })] },
    ],
    [
      "a date",
      { range: { renewal_at: { gt: "2024-01-01" } } },
      { type: "all", predicates: [property("renewal_at", "after", "2024-01-01", { type: "date", entity: "user" })] },
    ],
    [
      "the days to come",
      { range: { renewal_at: { gte: "now", lte: "now+3d" } } },
      { type: "all", predicates: [property("renewal_at", "in_next", "3d", { type: "date", entity: "user" })] },
    ],
    [
      "days that are not to come",
      { not: { range: { renewal_at: { gte: "now", lte: "now+3d" } } } },
      { type: "all", predicates: [property("renewal_at", "not_in_next", "3d", { type: "date", entity: "user" })] },
    ],
    [
      "an open range",
      { and: [{ range: { mrr: { gte: 5 } } }, { range: { renewal_at: { lte: "now" } } }] },
      {
        type: "all",
        predicates: [
          property("mrr", "at_least", 5, { type: "numeric", entity: "user" }),
          property("renewal_at", "on_or_before", "now", { type: "date", entity: "user" }),
        ],
      },
    ],
    [
      "a month",
      { and: [{ range: { renewal_at: { gte: "2024-01-01", lt: "2024-02-01" } } }, { exists: { field: "zip" } }] },
      {
        type: "all",
        predicates: [
          property("renewal_at", "on_or_after", "2024-01-01", { type: "date", entity: "user" }),
          property("renewal_at", "before", "2024-02-01", { type: "date", entity: "user" }),
          property("zip", "is_set", undefined, { type: "string", entity: "user" }),
        ],
      },
    ],
    [
      "not a month",
      { not: { range: { renewal_at: { gte: "2024-01-01", lt: "2024-02-01" } } } },
      {
        type: "all",
        predicates: [
          {
            type: "none",
            predicates: [
              {
                type: "all",
                predicates: [
                  property("renewal_at", "on_or_after", "2024-01-01", { type: "date", entity: "user" }),
                  property("renewal_at", "before", "2024-02-01", { type: "date", entity: "user" }),
                ],
              },
            ],
          },
        ],
      },
    ],
    [
      "a choice",
      { or: [{ exists: { field: "zip" } }, { term: { vip: "false" } }] },
      {
        type: "any",
        predicates: [
          property("zip", "is_set", undefined, { type: "string", entity: "user" }),
          property("vip", "is_false", undefined, { type: "boolean", entity: "user" }),
        ],
      },
    ],
    [
      "events",
      {
        has_child: {
          query: {
            bool: {
              must: [
                { term: { event: "Order" } },
                { range: { created_at: { gte: "now-7d" } } },
                { range: { "props.amount": { gt: 5 } } },
              ],
            },
          },
          min_children: 2,
        },
      },
      {
        type: "all",
        predicates: [
          {
            event: { name: "Order" },
            operator: "at_least",
            count: 2,
            within: "7d",
            where: [property("properties.amount", "greater_than", 5, { entity: "event" })],
          },
        ],
      },
    ],
    [
      "a negated group",
      { not: { and: [{ term: { plan: "pro" } }, { exists: { field: "zip" } }] } },
      {
        type: "all",
        predicates: [
          {
            type: "none",
            predicates: [
              {
                type: "all",
                predicates: [
                  property("plan", "equals", "pro", { type: "string", entity: "user" }),
                  property("zip", "is_set", undefined, { type: "string", entity: "user" }),
                ],
              },
            ],
          },
        ],
      },
    ],
    [
      "a negation without an operator of its own",
      { not: { wildcard: { plan: "p*" } } },
      {
        type: "all",
        predicates: [
          { type: "none", predicates: [property("plan", "begins_with", "p", { type: "string", entity: "user" })] },
        ],
      },
    ],
  ])("is what the builder shows: %s", ([, query, predicate]) => {
    expect(
      queryToPredicate(parse(query, { target: "user" }), { target: "user", attributeTypes: ATTRIBUTE_TYPES }),
    ).toEqual(predicate);
  });

  test.for<[string, unknown]>([
    [
      "two of three",
      { bool: { should: [{ term: { a: 1 } }, { term: { b: 1 } }, { term: { c: 1 } }], minimum_should_match: 2 } },
    ],
    ["a prefix of words", { prefix: { name: "a" } }],
    ["two bounds of what may have several values", { range: { langs: { gte: 5, lt: 6 } } }],
    ["a regular expression", { regexp: { name: "a.*" } }],
    ["a negation of everything", { not: { match_all: {} } }],
    ["an exact pattern", { wildcard: { "name.raw": "a*" } }],
    ["a time zone", { range: { created_at: { gt: "2024-01-01", time_zone: "+02:00" } } }],
    ["nothing at all", { match_none: {} }],
  ])("does not exist for %s", ([, query]) => {
    expect(
      queryToPredicate(parse(query, { target: "user" }), { target: "user", attributeTypes: ATTRIBUTE_TYPES }),
    ).toBeUndefined();
  });
});

test("a group of none is a query that excludes each of its predicates", () => {
  const predicate = { type: "none", predicates: [property("plan", "equals", "pro"), property("zip", "is_set")] };
  expect(predicateToQuery(predicate, { target: "user" })).toEqual({
    bool: { must_not: [{ term: { plan: "pro" } }, { exists: { field: "zip" } }] },
  });
  expect(predicateToQuery({ type: "none", predicates: [] }, { target: "user" })).toEqual({ match_all: {} });
});
