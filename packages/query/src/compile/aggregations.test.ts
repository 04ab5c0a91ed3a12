import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CATALOG, id, NOW, ORG } from "../cases/dataset.test.data.js";
import { type Engine, openDataset } from "../cases/engine.test.kit.js";
import type { Entity } from "../entity.js";
import { parse } from "../parse/parse.js";
import { parseAggregations } from "../parse/parse-aggregations.js";
import { type AggregationRow, compileAggregations } from "./aggregations.js";

let engine: Engine;

beforeAll(async () => {
  engine = await openDataset();
});

afterAll(() => engine.close());

async function aggregate(
  aggs: unknown,
  entity: Entity = "user",
  query: unknown = {},
): Promise<Record<string, unknown>> {
  const options = { org: ORG, catalog: CATALOG, now: NOW, entity };
  const answers: Record<string, unknown> = {};
  for (const { name, statements, read } of compileAggregations(
    parse(query, { entity }),
    parseAggregations(aggs, { entity }),
    options,
  )) {
    const results: AggregationRow[][] = [];
    for (const statement of statements) results.push(await engine.rows<AggregationRow>(statement));
    answers[name] = read(results);
  }
  return answers;
}

async function one(aggregation: unknown, entity?: Entity, query?: unknown): Promise<unknown> {
  return (await aggregate({ it: aggregation }, entity, query)).it;
}

const orders = { term: { event: "Order" } };

describe("a metric", () => {
  test.for<[string, unknown, unknown, Entity?]>([
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
      "max of a date shows it",
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
  ])("%s", async ([, aggregation, expected, entity]) => {
    expect(await one(aggregation, entity)).toEqual(expected);
  });

  test("is over the rows that fit the query", async () => {
    expect(await one({ sum: { field: "mrr" } }, "user", { term: { vip: true } })).toEqual({ value: 95 });
  });
});

describe("buckets", () => {
  test.for<[string, unknown, unknown, Entity?]>([
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
  ])("%s", async ([, aggregation, expected, entity]) => {
    expect(await one(aggregation, entity)).toEqual(expected);
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

  test("of an attribute reaches before 1970", async () => {
    const answer = await one({ date_histogram: { field: "born_at", interval: "quarter", min_doc_count: 1 } });
    expect(keysOf(answer)).toEqual(["1950-01-01T00:00 1", "1999-10-01T00:00 1"]);
  });

  test("is refused when its gaps would make too many buckets", async () => {
    await expect(one({ date_histogram: { field: "created_at", interval: "second" } })).rejects.toThrow(
      "at most 10000 buckets",
    );
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

  test("buckets can hold buckets of every kind, empty ones included", async () => {
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
      "ordered by what is not there",
      { it: { terms: { field: "plan", order: { nope: "asc" } } } },
      "aggs.it.terms.order: expected _count, _key",
    ],
    [
      "with an interval of nothing",
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
      "with a range of nothing",
      { it: { range: { field: "mrr", ranges: [{}] } } },
      "aggs.it.range.ranges.0: expected from or to",
    ],
    ["with a bad query inside", { it: { filter: { nope: {} } } }, "aggs.it.filter.nope: unknown clause"],
  ])("%s", ([, aggs, message]) => {
    expect(() => parseAggregations(aggs, { entity: "user" })).toThrow(message);
  });

  test.for<[string, unknown, string]>([
    ["a sum of text", { sum: { field: "plan" } }, "sum needs a number or a date"],
    ["a histogram of text", { histogram: { field: "plan", interval: 1 } }, "expected a numeric field"],
    ["a date histogram of numbers", { date_histogram: { field: "mrr", interval: "1d" } }, "expected a date field"],
    [
      "a range with a bound that is no number",
      { range: { field: "mrr", ranges: [{ from: "x" }] } },
      "expected a number",
    ],
  ])("%s", async ([, aggregation, message]) => {
    await expect(one(aggregation)).rejects.toThrow(message);
  });
});
