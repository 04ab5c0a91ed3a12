import { parse, predicateToQuery, queryToPredicate } from "@muster/query";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Questions } from "../questions.js";
import { BOOLS } from "./cases/bools.test.data.js";
import { EXISTENCE, RANGES } from "./cases/ranges.test.data.js";
import { ACCOUNT_FIELDS, CHILDREN } from "./cases/relations.test.data.js";
import { TERMS } from "./cases/terms.test.data.js";
import { PATTERNS, TEXT } from "./cases/text.test.data.js";
import { ATTRIBUTE_TYPES, id, nameOf, ORG } from "./dataset.test.data.js";
import { selectionOf } from "./selection.test.kit.js";
import { openDataset } from "./write-dataset.test.kit.js";

let questions: Questions;

beforeAll(async () => {
  questions = await openDataset();
});

afterAll(() => questions.close());

async function find(predicate: unknown): Promise<string> {
  const query = predicateToQuery(predicate, { target: "user" });
  const rows = await questions.page(ORG, selectionOf(query), { sort: [], limit: 100 });
  return rows.map((row) => nameOf(row.id)).join(" ");
}

function property(key: string, operator: string, value?: unknown, more: object = {}) {
  return { property: { key, ...more }, operator, ...(value !== undefined && { options: { value } }) };
}

const EVERYBODY = "ann bob cat dan eve fay gus";

describe("a predicate selects", () => {
  test.for<[string, unknown, string]>([
    ["equals", property("plan", "equals", "pro"), "ann"],
    ["equals one of several", property("plan", "equals", ["pro", "free"]), "ann bob"],
    ["not_equals", property("plan", "not_equals", "pro"), "bob cat dan eve fay gus"],
    ["contains, whatever the case", property("name", "contains", "YORK"), "fay"],
    ["contains a literal star", property("name", "contains", "*"), ""],
    ["contains an element", property("langs", "contains", "fr", { type: "array" }), "ann"],
    ["not_contains", property("email", "not_contains", "example"), "ann bob fay gus"],
    ["begins_with", property("name", "begins_with", "new y"), "fay"],
    ["begins_with is about the value, not its words", property("name", "begins_with", "york"), ""],
    ["ends_with", property("email", "ends_with", "@ACME.com"), "ann"],
    ["less_than", property("mrr", "less_than", 0), "dan"],
    ["at_most", property("mrr", "at_most", 0), "bob dan"],
    ["greater_than", property("mrr", "greater_than", 99.5), "ann eve"],
    ["at_least", property("mrr", "at_least", 99.5), "ann cat eve"],
    ["between", property("mrr", "between", [0, 99.5]), "bob cat"],
    ["is_set", property("vip", "is_set"), "ann bob dan"],
    ["is_not_set", property("plan", "is_not_set"), "eve gus"],
    ["in_last days", property("created_at", "in_last", 1), "cat dan eve"],
    ["in_last a span", property("created_at", "in_last", "12h"), "dan eve"],
    ["in_last leaves out what is to come", property("renewal_at", "in_last", "1w"), "ann bob"],
    ["not_in_last", property("created_at", "not_in_last", "1d"), "ann bob fay gus"],
    ["in_next leaves out what was", property("renewal_at", "in_next", "1M"), "cat"],
    ["not_in_next", property("renewal_at", "not_in_next", "1M"), "ann bob dan eve fay gus"],
    ["on_or_before", property("created_at", "on_or_before", "2024-01-01"), "ann fay gus"],
    ["on_or_after", property("created_at", "on_or_after", "2024-06-15"), "dan eve"],
    ["before", property("created_at", "before", "2024-01-01"), "fay gus"],
    ["after", property("created_at", "after", "2024-06-14"), "dan eve"],
    ["is_true", property("vip", "is_true"), "ann dan"],
    ["is_false", property("vip", "is_false"), "bob"],
    ["in_segment", property("segment_ids", "in_segment", id("buyers")), "ann bob"],
    ["not_in_segment", property("segment_ids", "not_in_segment", [id("buyers")]), "cat dan eve fay gus"],
    ["an account's property", property("plan", "equals", "enterprise", { entity: "account" }), "ann bob"],
    ["an account's segment", property("segment_ids", "in_segment", id("partners"), { entity: "account" }), "ann bob"],
    ["an event", { event: { name: "Order" } }, "ann bob cat"],
    ["an event often", { event: { name: "Order" }, operator: "at_least", count: 2 }, "ann"],
    ["an event more often than", { event: { name: "Order" }, operator: "greater_than", count: 1 }, "ann"],
    ["an event at most", { event: { name: "Order" }, operator: "at_most", count: 1 }, "bob cat dan eve fay gus"],
    ["an event less often than", { event: { name: "Order" }, operator: "less_than", count: 1 }, "dan eve fay gus"],
    ["an event so many times", { event: { name: "Order" }, operator: "equals", count: 3 }, "ann"],
    ["an event never", { event: { name: "Order" }, operator: "is_not_set" }, "dan eve fay gus"],
    ["an event ever", { event: { name: "Order" }, operator: "is_set" }, "ann bob cat"],
    ["an event between", { event: { name: "Order" }, operator: "between", count: [1, 2] }, "bob cat"],
    ["an event lately", { event: { name: "Order" }, within: "7d" }, "ann cat"],
    ["an event lately, in days", { event: { name: "Order" }, within: 30, operator: "at_least", count: 2 }, "ann"],
    [
      "an event with properties",
      {
        event: { name: "Order" },
        where: [property("amount", "greater_than", 15), property("currency", "equals", "USD")],
      },
      "ann",
    ],
    [
      "an event with a condition on a field",
      { event: { name: "Email opened" }, where: [property("source", "equals", "mailer")] },
      "cat",
    ],
    ["an event with context", { event: { name: "Page" }, where: [property("context.ip", "is_set")] }, "ann"],
    ["all", { type: "all", predicates: [property("vip", "is_true"), property("mrr", "greater_than", 0)] }, "ann"],
    [
      "any",
      { type: "any", predicates: [property("plan", "equals", "pro"), property("plan", "equals", "free")] },
      "ann bob",
    ],
    [
      "groups in groups",
      {
        type: "all",
        predicates: [
          { type: "any", predicates: [property("vip", "is_true"), property("vip", "is_false")] },
          property("mrr", "less_than", 50),
        ],
      },
      "bob dan",
    ],
    [
      "none",
      { type: "none", predicates: [property("plan", "equals", "pro"), property("vip", "is_false")] },
      "cat dan eve fay gus",
    ],
    [
      "none of a group",
      {
        type: "none",
        predicates: [
          { type: "all", predicates: [property("vip", "is_true"), property("mrr", "greater_than", 0)] },
          { event: { name: "Order" }, within: "7d" },
        ],
      },
      "bob dan eve fay gus",
    ],
    ["all of nothing", { type: "all", predicates: [] }, EVERYBODY],
    ["any of nothing", { type: "any", predicates: [] }, EVERYBODY],
    ["none of nothing", { type: "none", predicates: [] }, EVERYBODY],
    ["nothing", {}, EVERYBODY],
  ])("%s", async ([, predicate, names]) => {
    expect(await find(predicate)).toBe(names);
  });
});

describe("a query that can be written as a predicate", () => {
  const cases = [TERMS, RANGES, EXISTENCE, TEXT, PATTERNS, BOOLS, CHILDREN, ACCOUNT_FIELDS]
    .flatMap((table) =>
      table.cases.map(([shows, query, names]) => ({ shows: `${table.about}: ${shows}`, query, names })),
    )
    .map((one) => ({
      ...one,
      predicate: queryToPredicate(parse(one.query, { target: "user" }), {
        target: "user",
        attributeTypes: ATTRIBUTE_TYPES,
      }),
    }))
    .filter((one) => one.predicate !== undefined);

  test("is a common case", () => {
    expect(cases.length).toBeGreaterThan(150);
  });

  test.for(cases)("means the same as its predicate: $shows", async ({ predicate, names }) => {
    expect(await find(predicate)).toBe(names);
  });
});
