import { parseAggregations, type Target } from "@muster/query";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Questions } from "../questions.js";
import { aggregate } from "./aggregate.test.kit.js";
import { openDataset } from "./write-dataset.test.kit.js";

let questions: Questions;

beforeAll(async () => {
  questions = await openDataset();
});

afterAll(() => questions.close());

function one(aggregation: unknown, target?: Target, query?: unknown): Promise<unknown> {
  return aggregate(questions, aggregation, target, query);
}

describe("a metric", () => {
  test.for<[string, unknown, unknown, Target?]>([
    ["sum", { sum: { field: "mrr" } }, { value: 1_000_194.5 }],
    ["avg", { avg: { field: "mrr" } }, { value: 200_038.9 }],
    ["min", { min: { field: "mrr" } }, { value: -5 }],
    ["max", { max: { field: "mrr" } }, { value: 1_000_000 }],
    ["stats", { stats: { field: "mrr" } }, { count: 5, min: -5, max: 1_000_000, avg: 200_038.9, sum: 1_000_194.5 }],
    ["cardinality of text", { cardinality: { field: "plan" } }, { value: 5 }],
    ["cardinality of an array counts elements", { cardinality: { field: "langs" } }, { value: 5 }],
    ["cardinality of segments", { cardinality: { field: "segment_ids" } }, { value: 2 }],
    ["cardinality of an event's property", { cardinality: { field: "properties.currency" } }, { value: 3 }, "event"],
    [
      "max of a date is a date",
      { max: { field: "created_at" } },
      { value: Date.UTC(2024, 5, 15, 11), value_as_string: "2024-06-15T11:00:00.000Z" },
    ],
    ["sum of an event's property", { sum: { field: "properties.amount" } }, { value: 65.5 }, "event"],
    ["an account's field, once for each user", { sum: { field: "account.employees" } }, { value: 1_050 }],
    ["of an unknown field", { sum: { field: "nothing" } }, { value: 0 }],
    ["average of an unknown field", { avg: { field: "nothing" } }, { value: null }],
    [
      "statistics of an unknown field",
      { stats: { field: "nothing" } },
      { count: 0, min: null, max: null, avg: null, sum: 0 },
    ],
    ["cardinality of an unknown field", { cardinality: { field: "nothing" } }, { value: 0 }],
  ])("%s", async ([, aggregation, expected, target]) => {
    expect(await one(aggregation, target)).toEqual(expected);
  });

  test("is computed over the rows that match the query", async () => {
    expect(await one({ sum: { field: "mrr" } }, "user", { term: { vip: true } })).toEqual({ value: 95 });
  });
});

describe("aggregations inside buckets", () => {
  test("metrics are computed for each bucket", async () => {
    const answer = await one({
      terms: { field: "vip" },
      aggs: { total: { sum: { field: "mrr" } }, spread: { stats: { field: "mrr" } } },
    });
    expect(answer).toEqual({
      buckets: [
        {
          key: 1,
          key_as_string: "true",
          doc_count: 2,
          total: { value: 95 },
          spread: { count: 2, min: -5, max: 100, avg: 47.5, sum: 95 },
        },
        {
          key: 0,
          key_as_string: "false",
          doc_count: 1,
          total: { value: 0 },
          spread: { count: 1, min: 0, max: 0, avg: 0, sum: 0 },
        },
      ],
    });
  });

  test("terms can be ordered by a metric inside", async () => {
    const aggregation = {
      terms: { field: "account.domain", order: { most: "desc" } },
      aggs: { most: { max: { field: "mrr" } } },
    };
    expect(await one(aggregation)).toEqual({
      buckets: [
        { key: "bare.io", doc_count: 1, most: { value: 1_000_000 } },
        { key: "acme.com", doc_count: 2, most: { value: 100 } },
        { key: "globex.com", doc_count: 1, most: { value: 99.5 } },
      ],
    });
  });

  test("buckets can contain buckets of every kind, including empty ones", async () => {
    const answer = await one({
      filters: { filters: { rich: { range: { mrr: { gte: 99 } } }, nobody: { match_none: {} } } },
      aggregations: {
        vip: { filter: { term: { vip: true } } },
        plans: { terms: { field: "plan" } },
        bands: { range: { field: "mrr", ranges: [{ from: 100 }] } },
      },
    });
    expect(answer).toEqual({
      buckets: [
        {
          key: "rich",
          doc_count: 3,
          vip: { doc_count: 1 },
          plans: {
            buckets: [
              { key: "Pro", doc_count: 1 },
              { key: "pro", doc_count: 1 },
            ],
          },
          bands: { buckets: [{ key: "100-*", from: 100, doc_count: 2 }] },
        },
        {
          key: "nobody",
          doc_count: 0,
          vip: { doc_count: 0 },
          plans: { buckets: [] },
          bands: { buckets: [{ key: "100-*", from: 100, doc_count: 0 }] },
        },
      ],
    });
  });

  test("an array inside itself gives every pair", async () => {
    const answer = await one({
      terms: { field: "langs", size: 1, order: { _key: "desc" } },
      aggs: { with: { terms: { field: "langs" } } },
    });
    expect(answer).toEqual({
      buckets: [
        {
          key: "fr",
          doc_count: 1,
          with: {
            buckets: [
              { key: "en", doc_count: 1 },
              { key: "fr", doc_count: 1 },
            ],
          },
        },
      ],
    });
  });

  test("events are counted over time for each name", async () => {
    const answer = await one(
      {
        terms: { field: "event", size: 1 },
        aggs: { time: { date_histogram: { field: "created_at", interval: "month" } } },
      },
      "event",
    );
    expect(answer).toMatchObject({
      buckets: [{ key: "Order", time: { buckets: [{ doc_count: 1 }, { doc_count: 4 }] } }],
    });
  });
});

describe("an aggregation is refused", () => {
  const nested = {
    terms: { field: "plan" },
    aggs: { a: { terms: { field: "plan" }, aggs: { b: { sum: { field: "mrr" } } } } },
  };
  test.for<[string, unknown, string]>([
    ["when it is unknown", { it: { median: { field: "mrr" } } }, "aggs.it.median: unknown aggregation"],
    ["when it is none", { it: {} }, "aggs.it: expected exactly one kind of aggregation"],
    ["when it is two", { it: { sum: { field: "mrr" }, avg: { field: "mrr" } } }, "aggs.it: expected exactly one kind"],
    [
      "with an unknown option",
      { it: { terms: { field: "plan", include: "p.*" } } },
      "aggs.it.terms.include: unknown option",
    ],
    ["nested too deep", { it: nested }, "aggs.it.aggs.a.aggs: expected aggregations to be nested one level at most"],
    ["inside a metric", { it: { sum: { field: "mrr" }, aggs: {} } }, "aggs.it.aggs: sum has no buckets"],
    ["without a field", { it: { terms: {} } }, "aggs.it.terms.field: expected the name of a field"],
    [
      "with too many buckets",
      { it: { terms: { field: "plan", size: 10_001 } } },
      "aggs.it.terms.size: expected at most 10000",
    ],
    [
      "ordered by an unknown metric",
      { it: { terms: { field: "plan", order: { nope: "asc" } } } },
      "aggs.it.terms.order: expected _count, _key",
    ],
    [
      "with an interval of 0",
      { it: { histogram: { field: "mrr", interval: 0 } } },
      "aggs.it.histogram.interval: expected a number above 0",
    ],
    [
      "with an unknown interval",
      { it: { date_histogram: { field: "created_at", interval: "fortnight" } } },
      "aggs.it.date_histogram.interval: expected an interval",
    ],
    [
      "with several months at once",
      { it: { date_histogram: { field: "created_at", interval: "2M" } } },
      "aggs.it.date_histogram.interval",
    ],
    [
      "with an unknown time zone",
      { it: { date_histogram: { field: "created_at", interval: "1d", time_zone: "Mars/Base" } } },
      "aggs.it.date_histogram.time_zone",
    ],
    [
      "with an empty range",
      { it: { range: { field: "mrr", ranges: [{}] } } },
      "aggs.it.range.ranges.0: expected from or to",
    ],
    ["with a bad query inside", { it: { filter: { nope: {} } } }, "aggs.it.filter.nope: unknown clause"],
  ])("%s", ([, aggs, message]) => {
    expect(() => parseAggregations(aggs, { target: "user" })).toThrow(message);
  });

  test.for<[string, unknown, string]>([
    ["a sum of text", { sum: { field: "plan" } }, "sum needs a number or a date"],
    ["a histogram of text", { histogram: { field: "plan", interval: 1 } }, "expected a numeric field"],
    ["a date histogram of numbers", { date_histogram: { field: "mrr", interval: "1d" } }, "expected a date field"],
    [
      "a range with a bound that is not a number",
      { range: { field: "mrr", ranges: [{ from: "x" }] } },
      "expected a number",
    ],
  ])("%s", async ([, aggregation, message]) => {
    await expect(one(aggregation)).rejects.toThrow(message);
  });
});
