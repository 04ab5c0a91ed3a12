import { describe, expect, test } from "vitest";
import { parse } from "../parse/parse.js";
import type { Target } from "../target.js";
import { describeQuery } from "./describe.js";

describe("the description of a query", () => {
  test.for<[unknown, string, Target?]>([
    [{}, "everybody"],
    [{ match_none: {} }, "nobody"],
    [{}, "every event", "event"],
    [{ term: { traits_plan: "pro" } }, 'plan is "pro"'],
    [{ term: { vip: true } }, "vip is true"],
    [{ terms: { plan: ["pro", "free"] } }, 'plan is one of "pro", "free"'],
    [{ not: { term: { plan: "pro" } } }, 'plan is not "pro"'],
    [{ exists: { field: "plan" } }, "plan is set"],
    [{ missing: { field: "plan" } }, "plan is not set"],
    [{ range: { mrr: { gte: 10, lt: 20 } } }, "mrr is at least 10 and is less than 20"],
    [{ range: { created_at: { gte: "now-30d" } } }, "created_at is in the last 30 days"],
    [{ range: { created_at: { gte: "now-1M/d" } } }, "created_at is in the last 1 month"],
    [{ range: { created_at: { lt: "2024-01-01" } } }, 'created_at is earlier than "2024-01-01"'],
    [{ range: { created_at: { lt: "now-1d" } } }, "created_at is earlier than 1 day ago"],
    [{ range: { renews_at: { gt: "now", lte: "now+3d" } } }, "renews_at is in the next 3 days"],
    [{ range: { renews_at: { gte: "now-3d", lte: "now" } } }, "renews_at is in the last 3 days"],
    [{ range: { renews_at: { lte: "now+3d" } } }, "renews_at is at the latest in 3 days"],
    [{ range: { renews_at: { gt: "now" } } }, "renews_at is later than now"],
    [
      { range: { renews_at: { gte: "now-2w/d", lt: "now+1M" } } },
      "renews_at is at the earliest 2 weeks ago and is earlier than in 1 month",
    ],
    [{ prefix: { email: "ann" } }, 'email begins with "ann"'],
    [{ wildcard: { email: "*@acme.com" } }, 'email looks like "*@acme.com"'],
    [{ regexp: { email: ".*@acme" } }, "email fits /.*@acme/"],
    [{ match: { name: "ann" } }, 'name mentions "ann"'],
    [{ match: { name: "ann lee" } }, 'name mentions any of "ann lee"'],
    [{ match: { name: { query: "ann lee", operator: "and" } } }, 'name mentions all of "ann lee"'],
    [{ term: { "account.plan": "pro" } }, 'account.plan is "pro"'],
    [{ term: { segment_ids: "s1" } }, 'is in the segment "Buyers"'],
    [{ not: { terms: { segment_ids: ["s1", "s2"] } } }, 'is not in one of the segments "Buyers", "s2"'],
    [{ term: { account_segment_ids: "s1" } }, 'the account is in the segment "Buyers"'],
    [
      { bool: { must: [{ term: { a: 1 } }, { term: { b: 2 } }], must_not: { exists: { field: "c" } } } },
      "a is 1 and b is 2 and c is not set",
    ],
    [
      { bool: { should: [{ term: { a: 1 } }, { and: [{ term: { b: 2 } }, { term: { c: 3 } }] }] } },
      "(a is 1 or (b is 2 and c is 3))",
    ],
    [
      { bool: { should: [{ term: { a: 1 } }, { term: { b: 2 } }, { term: { c: 3 } }], minimum_should_match: 2 } },
      "at least 2 of (a is 1, b is 2, c is 3)",
    ],
    [{ bool: { must_not: { or: [{ term: { a: 1 } }, { term: { b: 2 } }] } } }, "not ((a is 1 or b is 2))"],
    [{ or: [] }, "nobody"],
    [{ has_child: { query: { term: { event: "Order" } } } }, 'did "Order"'],
    [{ not: { has_child: { query: { term: { event: "Order" } } } } }, 'did not do "Order"'],
    [{ has_child: { query: { term: { event: "Order" } }, min_children: 2 } }, 'did "Order" at least 2 times'],
    [{ has_child: { query: { term: { event: "Order" } }, min_children: 0, max_children: 0 } }, 'did "Order" never'],
    [
      { has_child: { query: { term: { event: "Order" } }, min_children: 0, max_children: 3 } },
      'did "Order" at most 3 times',
    ],
    [{ has_child: { query: { term: { event: "Order" } }, max_children: 1 } }, 'did "Order" exactly 1 time'],
    [
      { has_child: { query: { term: { event: "Order" } }, min_children: 2, max_children: 3 } },
      'did "Order" 2 to 3 times',
    ],
    [
      {
        has_child: {
          query: {
            bool: {
              must: [
                { term: { event: "Order" } },
                { range: { created_at: { gte: "now-7d" } } },
                { term: { "props.currency": "EUR" } },
              ],
            },
          },
        },
      },
      'did "Order" in the last 7 days where currency is "EUR"',
    ],
    [{ has_child: { query: {} } }, "did any event"],
    [{ has_child: { query: { range: { created_at: { gte: "now-7d" } } } } }, "did any event in the last 7 days"],
    [
      {
        not: {
          has_child: {
            query: { and: [{ term: { event: "Order" } }, { range: { created_at: { gte: "now-1d" } } }] },
          },
        },
      },
      'did not do "Order" in the last 1 day',
    ],
    [
      { has_child: { query: { range: { created_at: { lt: "2024-01-01" } } }, min_children: 2 } },
      'did any event at least 2 times where created_at is earlier than "2024-01-01"',
    ],
    [{ has_parent: { type: "user", query: { term: { plan: "pro" } } } }, 'the user has: plan is "pro"', "event"],
  ])("%j", ([query, sentence, target = "user"]) => {
    const segmentName = (id: string) => (id === "s1" ? "Buyers" : undefined);
    expect(describeQuery(parse(query, { target }), { target, segmentName })).toBe(sentence);
  });

  test.for<[unknown, string]>([
    [{ range: { mrr: { gte: 10 } } }, "Revenue is at least 10"],
    [{ not: { exists: { field: "mrr" } } }, "Revenue is not set"],
    [{ term: { "account.mrr": 1 } }, "the account's Revenue is 1"],
    [{ term: { plan: "pro" } }, 'plan is "pro"'],
  ])("uses the labels of fields: %j", ([query, sentence]) => {
    const labelOf = ({ key }: { key: string }) => (key === "mrr" ? "Revenue" : undefined);
    expect(describeQuery(parse(query, { target: "user" }), { target: "user", labelOf })).toBe(sentence);
  });
});
