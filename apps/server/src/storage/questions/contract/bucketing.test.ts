import type { Target } from "@muster/query";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Questions } from "../questions.js";
import { aggregate } from "./aggregate.test.kit.js";
import { id } from "./dataset.test.data.js";
import { openDataset } from "./write-dataset.test.kit.js";

let questions: Questions;

beforeAll(async () => {
  questions = await openDataset();
});

afterAll(() => questions.close());

function one(aggregation: unknown, target?: Target, query?: unknown): Promise<unknown> {
  return aggregate(questions, aggregation, target, query);
}

const orders = { term: { event: "Order" } };

describe("buckets", () => {
  test.for<[string, unknown, unknown, Target?]>([
    ["filter", { filter: { term: { vip: true } } }, { doc_count: 2 }],
    ["filter that fits nothing", { filter: { term: { plan: "none" } } }, { doc_count: 0 }],
    ["missing", { missing: { field: "plan" } }, { doc_count: 2 }],
    ["missing of an unknown field", { missing: { field: "nothing" } }, { doc_count: 7 }],
    [
      "filters by name, which may overlap",
      {
        filters: {
          filters: { vip: { term: { vip: true } }, paying: { range: { mrr: { gt: 0 } } }, none: { match_none: {} } },
        },
      },
      {
        buckets: [
          { key: "vip", doc_count: 2 },
          { key: "paying", doc_count: 3 },
          { key: "none", doc_count: 0 },
        ],
      },
    ],
    [
      "filters as a list",
      { filters: { filters: [{ term: { vip: false } }] } },
      { buckets: [{ key: "0", doc_count: 1 }] },
    ],
    [
      "filters about segments and events, in one question",
      {
        filters: {
          filters: [
            {},
            {
              bool: {
                must: [{ term: { segment_ids: id("buyers") } }],
                must_not: [{ term: { segment_ids: id("readers") } }],
              },
            },
            { bool: { must: [{ term: { segment_ids: id("buyers") } }, { term: { segment_ids: id("readers") } }] } },
            { has_child: { type: "event", query: orders } },
          ],
        },
      },
      {
        buckets: [
          { key: "0", doc_count: 7 },
          { key: "1", doc_count: 1 },
          { key: "2", doc_count: 1 },
          { key: "3", doc_count: 3 },
        ],
      },
    ],
    [
      "terms, most frequent first",
      { terms: { field: "vip" } },
      {
        buckets: [
          { key: 1, key_as_string: "true", doc_count: 2 },
          { key: 0, key_as_string: "false", doc_count: 1 },
        ],
      },
    ],
    [
      "terms of text, equals in order",
      { terms: { field: "plan", size: 3 } },
      {
        buckets: [
          { key: "", doc_count: 1 },
          { key: "Pro", doc_count: 1 },
          { key: "enterprise plus", doc_count: 1 },
        ],
      },
    ],
    [
      "terms by key, descending",
      { terms: { field: "plan", size: 2, order: { _key: "desc" } } },
      {
        buckets: [
          { key: "pro", doc_count: 1 },
          { key: "free", doc_count: 1 },
        ],
      },
    ],
    [
      "terms seen often",
      { terms: { field: "vip", min_doc_count: 2 } },
      { buckets: [{ key: 1, key_as_string: "true", doc_count: 2 }] },
    ],
    [
      "terms of an array's elements",
      { terms: { field: "langs", order: { _term: "asc" } } },
      { buckets: ["FR", "de", "en", "es", "fr"].map((key) => ({ key, doc_count: 1 })) },
    ],
    [
      "terms of a number",
      { terms: { field: "mrr", size: 1, order: { _key: "asc" } } },
      { buckets: [{ key: -5, doc_count: 1 }] },
    ],
    [
      "terms of a date",
      { terms: { field: "renewal_at", size: 1, order: { _key: "asc" } } },
      {
        buckets: [
          { key: Date.UTC(2024, 5, 14, 23, 59, 59, 999), key_as_string: "2024-06-14T23:59:59.999Z", doc_count: 1 },
        ],
      },
    ],
    [
      "terms of segments",
      { terms: { field: "segment_ids", order: { _key: "asc" } } },
      {
        buckets: [
          { key: id("buyers"), doc_count: 2 },
          { key: id("readers"), doc_count: 2 },
        ],
      },
    ],
    [
      "terms of the account's segments",
      { terms: { field: "account_segment_ids" } },
      { buckets: [{ key: id("partners"), doc_count: 2 }] },
    ],
    [
      "terms of an account's field",
      { terms: { field: "account.domain" } },
      {
        buckets: [
          { key: "acme.com", doc_count: 2 },
          { key: "bare.io", doc_count: 1 },
          { key: "globex.com", doc_count: 1 },
        ],
      },
    ],
    [
      "terms of an account's array",
      { terms: { field: "account.industries", size: 1 } },
      { buckets: [{ key: "retail", doc_count: 2 }] },
    ],
    ["terms of an unknown field", { terms: { field: "nothing" } }, { buckets: [] }],
    [
      "terms of events",
      { terms: { field: "event", size: 2 } },
      {
        buckets: [
          { key: "Order", doc_count: 5 },
          { key: "Page", doc_count: 4 },
        ],
      },
      "event",
    ],
    [
      "terms of a property of any type",
      { terms: { field: "properties.amount", order: { _key: "asc" }, size: 3 } },
      {
        buckets: [
          { key: "10", doc_count: 1 },
          { key: "12", doc_count: 1 },
          { key: "20.5", doc_count: 1 },
        ],
      },
      "event",
    ],
    [
      "histogram with its gaps",
      { histogram: { field: "properties.amount", interval: 10 } },
      {
        buckets: [
          { key: 0, doc_count: 1 },
          { key: 10, doc_count: 1 },
          { key: 20, doc_count: 1 },
          { key: 30, doc_count: 1 },
        ],
      },
      "event",
    ],
    [
      "histogram of fractions",
      { histogram: { field: "properties.amount", interval: 12.5, offset: 2.5 } },
      {
        buckets: [
          { key: 2.5, doc_count: 2 },
          { key: 15, doc_count: 1 },
          { key: 27.5, doc_count: 1 },
        ],
      },
      "event",
    ],
    [
      "histogram without empty buckets",
      { histogram: { field: "employees", interval: 100, min_doc_count: 1 } },
      {
        buckets: [
          { key: 0, doc_count: 1 },
          { key: 500, doc_count: 1 },
        ],
      },
      "account",
    ],
    [
      "range",
      { range: { field: "mrr", ranges: [{ to: 0 }, { from: 0, to: 100 }, { from: 99, key: "high" }] } },
      {
        buckets: [
          { key: "*-0", to: 0, doc_count: 1 },
          { key: "0-100", from: 0, to: 100, doc_count: 2 },
          { key: "high", from: 99, doc_count: 3 },
        ],
      },
    ],
    [
      "range of dates",
      {
        range: {
          field: "created_at",
          ranges: [
            { from: "now-1d/d", to: "now/d", key: "yesterday" },
            { from: "now/d", key: "today" },
          ],
        },
      },
      {
        buckets: [
          { key: "yesterday", from: "now-1d/d", to: "now/d", doc_count: 1 },
          { key: "today", from: "now/d", doc_count: 2 },
        ],
      },
    ],
  ])("%s", async ([, aggregation, expected, target]) => {
    expect(await one(aggregation, target)).toEqual(expected);
  });
});

describe("a date histogram", () => {
  const keysOf = (answer: unknown) =>
    (answer as { buckets: { key_as_string: string; doc_count: number }[] }).buckets.map(
      ({ key_as_string, doc_count }) => `${key_as_string.slice(0, 16)} ${doc_count}`,
    );

  test.for<[string, object, string[]]>([
    ["by month", { interval: "month" }, ["2024-05-01T00:00 1", "2024-06-01T00:00 4"]],
    ["by month, older spelling", { calendar_interval: "1M" }, ["2024-05-01T00:00 1", "2024-06-01T00:00 4"]],
    [
      "by week, with its gaps",
      { interval: "1w" },
      [
        "2024-04-29T00:00 1",
        "2024-05-06T00:00 0",
        "2024-05-13T00:00 0",
        "2024-05-20T00:00 0",
        "2024-05-27T00:00 1",
        "2024-06-03T00:00 0",
        "2024-06-10T00:00 3",
      ],
    ],
    ["by year", { interval: "year" }, ["2024-01-01T00:00 5"]],
    ["by quarter", { interval: "quarter" }, ["2024-04-01T00:00 5"]],
    ["by several days", { fixed_interval: "30d" }, ["2024-04-17T00:00 1", "2024-05-17T00:00 4"]],
    [
      "by day in a zone that is an offset",
      { interval: "day", time_zone: "+12:00", min_doc_count: 1 },
      ["2024-04-30T12:00 1", "2024-05-31T12:00 1", "2024-06-09T12:00 1", "2024-06-14T12:00 2"],
    ],
    [
      "by day in a named zone",
      { interval: "day", time_zone: "America/New_York", min_doc_count: 1 },
      ["2024-04-30T04:00 1", "2024-06-01T04:00 1", "2024-06-10T04:00 1", "2024-06-14T04:00 2"],
    ],
    [
      "by hour",
      { interval: "hour", min_doc_count: 1 },
      ["2024-05-01T00:00 1", "2024-06-01T10:00 1", "2024-06-10T10:00 1", "2024-06-14T13:00 1", "2024-06-15T00:00 1"],
    ],
  ])("%s", async ([, options, expected]) => {
    expect(keysOf(await one({ date_histogram: { field: "created_at", ...options } }, "event", orders))).toEqual(
      expected,
    );
  });

  test("fills the gaps between years", async () => {
    const answer = await one({ date_histogram: { field: "created_at", interval: "year" } });
    expect(keysOf(answer)).toEqual(["2022-01-01T00:00 1", "2023-01-01T00:00 1", "2024-01-01T00:00 5"]);
  });

  test("of an attribute has buckets before 1970", async () => {
    const answer = await one({ date_histogram: { field: "born_at", interval: "quarter", min_doc_count: 1 } });
    expect(keysOf(answer)).toEqual(["1950-01-01T00:00 1", "1999-10-01T00:00 1"]);
  });

  test("is refused when its gaps would make too many buckets", async () => {
    await expect(one({ date_histogram: { field: "created_at", interval: "second" } })).rejects.toThrow(
      "at most 10000 buckets",
    );
  });
});
