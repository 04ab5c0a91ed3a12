import { parseAggregations, parseSort, QueryError } from "@muster/query";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Questions } from "../questions.js";
import { id, ORG } from "./dataset.test.data.js";
import { selectionOf } from "./selection.test.kit.js";
import { openDataset } from "./write-dataset.test.kit.js";
import { writtenText } from "./written-text.test.kit.js";

let questions: Questions;

beforeAll(async () => {
  questions = await openDataset();
});

afterAll(() => questions.close());

const PAGE = { sort: [], limit: 10 };

describe("a query that the type of a field does not allow throws a QueryError", () => {
  const misfit = selectionOf({ bool: { should: [{ term: { plan: "pro" } }, { range: { vip: { gt: 1 } } }] } });
  const everybody = selectionOf({});

  test.for<[string, (asked: Questions) => Promise<unknown>]>([
    ["of a page", async (asked) => asked.page(ORG, misfit, PAGE)],
    ["of a count", async (asked) => asked.count(ORG, misfit)],
    [
      "of an aggregation",
      async (asked) => {
        const aggregations = parseAggregations({ it: { max: { field: "mrr" } } }, { target: "user" });
        return asked.aggregate(ORG, misfit, aggregations);
      },
    ],
    ["of an explanation", async (asked) => asked.explain(ORG, misfit, id("ann"))],
    [
      "of an extract",
      async (asked) => {
        const range = { after: undefined, until: (await asked.lastKey(ORG, "user"))! };
        return writtenText((path) => asked.writeJsonLines(ORG, misfit, range, { own: [], account: [] }, path));
      },
    ],
    [
      "within an aggregation",
      async (asked) => {
        const aggregations = parseAggregations({ it: { sum: { field: "plan" } } }, { target: "user" });
        return asked.aggregate(ORG, everybody, aggregations);
      },
    ],
    [
      "in the position after which a page continues",
      async (asked) => {
        const sort = parseSort({ created_at: "asc" }, { target: "user" });
        return asked.page(ORG, everybody, { sort, limit: 1, searchAfter: ["someday", id("ann")] });
      },
    ],
  ])("%s", async ([, ask]) => {
    await expect(ask(questions)).rejects.toThrow(QueryError);
  });
});

describe("an aborted question", () => {
  test("does not run when it was aborted before", async () => {
    const signal = AbortSignal.abort();
    await expect(questions.page(ORG, selectionOf({}), PAGE, { signal })).rejects.toThrow();
    await expect(questions.count(ORG, selectionOf({}), { signal })).rejects.toThrow();
  });

  test("ends, and other questions continue", async () => {
    const given = new AbortController();
    const givenUp = Array.from({ length: 20 }, () => questions.count(ORG, selectionOf({}), { signal: given.signal }));
    const others = Array.from({ length: 20 }, () => questions.count(ORG, selectionOf({})));
    given.abort();
    const outcomes = await Promise.allSettled(givenUp);
    // Some may already have been answered.
    for (const outcome of outcomes) if (outcome.status === "fulfilled") expect(outcome.value).toBe(7);
    expect(await Promise.all(others)).toEqual(Array(20).fill(7));
  });
});

test("many questions at the same time are all answered", async () => {
  const asked = Array.from({ length: 100 }, (_, index) =>
    index % 2 === 0
      ? questions.count(ORG, selectionOf({ has_child: { query: { term: { event: "Order" } } } }))
      : questions.page(ORG, selectionOf({ term: { plan: "pro" } }), PAGE).then((rows) => rows.length),
  );
  expect(await Promise.all(asked)).toEqual(Array.from({ length: 100 }, (_, index) => (index % 2 === 0 ? 3 : 1)));
});
