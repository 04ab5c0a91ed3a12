import type { Predicate } from "@muster/query";
import { expect, test } from "vitest";
import { EMPTY_SCHEMA } from "./filter-schema.js";
import { predicateSentence } from "./predicate-sentence.js";

const plan = { property: { key: "traits_plan" }, operator: "equals", options: { value: "pro" } } as const;
const mrr = { property: { key: "mrr", entity: "account" }, operator: "between", options: { value: [1, 5] } } as const;
const seen = { property: { key: "last_seen_at" }, operator: "in_last", options: { value: "30d" } } as const;
const inSegment = { property: { key: "segment_ids" }, operator: "not_in_segment", options: { value: ["s1"] } } as const;

test.for<[Predicate | Record<string, never>, string]>([
  [{}, "All users"],
  [plan, "Users whose plan is “pro”"],
  [{ type: "all", predicates: [plan, mrr] }, "Users whose plan is “pro” and whose account's mrr is between 1 and 5"],
  [
    { type: "any", predicates: [plan, { type: "all", predicates: [seen, inSegment] }] },
    "Users whose plan is “pro” or (whose last_seen_at is in the last 30 days and who are not in the segment “VIPs”)",
  ],
  [
    { type: "none", predicates: [plan, seen] },
    "Users not (whose plan is “pro” or whose last_seen_at is in the last 30 days)",
  ],
  [
    {
      event: { name: "Order" },
      operator: "at_least",
      count: 2,
      within: "7d",
      where: [{ property: { key: "properties.total" }, operator: "greater_than", options: { value: 20 } }],
    },
    "Users who did “Order” with total is more than 20 at least 2 times in the last 7 days",
  ],
  [{ event: { name: "Order" }, operator: "is_not_set" }, "Users who never did “Order”"],
  [{ event: { name: "Order" } }, "Users who did “Order” at least once"],
  [
    { property: { key: "plan" }, operator: "equals", options: { value: ["pro", "free"] } },
    "Users whose plan is one of “pro”, “free”",
  ],
])("%j reads: %s", ([predicate, sentence]) => {
  const schema = { ...EMPTY_SCHEMA, segments: [{ id: "s1", name: "VIPs", owner: "user" as const }] };
  expect(predicateSentence(predicate, { target: "user", schema })).toBe(sentence);
});

test("attributes are called by their labels", () => {
  const field = { key: "traits_plan", name: "plan", label: "Monthly plan", type: "string", owner: "user" } as const;
  const ofAccount = { key: "mrr", name: "mrr", label: "Revenue", type: "numeric", owner: "account" } as const;
  const schema = { ...EMPTY_SCHEMA, fields: [field, ofAccount] };
  expect(predicateSentence({ type: "all", predicates: [plan, mrr] }, { target: "user", schema })).toBe(
    "Users whose Monthly plan is “pro” and whose account's Revenue is between 1 and 5",
  );
});

test("a filter of accounts is about accounts", () => {
  const predicate: Predicate = { type: "all", predicates: [mrr, { event: { name: "Order" }, operator: "is_set" }] };
  expect(predicateSentence(predicate, { target: "account" })).toBe(
    "Accounts whose mrr is between 1 and 5 and whose users did “Order”",
  );
});
