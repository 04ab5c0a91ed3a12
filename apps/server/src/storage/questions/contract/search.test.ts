import { parseSort, QueryError, type Target } from "@muster/query";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Questions } from "../questions.js";
import { ACCOUNTS, EVENTS, id, nameOf, ORG, USERS } from "./dataset.test.data.js";
import { selectionOf } from "./selection.test.kit.js";
import { openDataset } from "./write-dataset.test.kit.js";

let questions: Questions;

beforeAll(async () => {
  questions = await openDataset();
});

afterAll(() => questions.close());

async function page(
  sort: unknown,
  more: { limit?: number; offset?: number; searchAfter?: unknown; target?: Target; query?: unknown } = {},
) {
  const { limit = 100, target = "user", query = {}, ...rest } = more;
  return questions.page(ORG, selectionOf(query, target), { sort: parseSort(sort, { target }), limit, ...rest });
}

async function names(...args: Parameters<typeof page>): Promise<string> {
  return (await page(...args)).map((row) => nameOf(row.id)).join(" ");
}

describe("the order of a page", () => {
  test.for<[string, unknown, string]>([
    ["is by id by default", [], "ann bob cat dan eve fay gus"],
    ["ascends by number with missing values last", { mrr: "asc" }, "dan bob cat ann eve fay gus"],
    ["descends by number with missing values last too", { mrr: "desc" }, "eve ann cat bob dan fay gus"],
    ["has missing values first if wanted", { mrr: { order: "asc", missing: "_first" } }, "fay gus dan bob cat ann eve"],
    ["is by text", { "email.raw": "asc" }, "eve ann bob cat dan fay gus"],
    ["is by date", { renewal_at: "asc" }, "bob ann cat eve dan fay gus"],
    ["is by boolean", { vip: "desc" }, "ann dan bob cat eve fay gus"],
    ["is by created_at", { created_at: "desc" }, "dan eve cat bob ann fay gus"],
    ["is by an array's smallest element", { langs: "asc" }, "cat bob ann dan eve fay gus"],
    ["is by an array's largest element when descending", { langs: "desc" }, "ann cat bob dan eve fay gus"],
    ["is by an account's number", { "account.employees": "asc" }, "cat ann bob dan eve fay gus"],
    [
      "is by an account's date, with users without an account last",
      { "account.created_at": "asc" },
      "ann bob cat eve dan fay gus",
    ],
    ["is by several fields", [{ vip: "asc" }, { mrr: "desc" }], "bob ann dan eve cat fay gus"],
    ["may be given as names", ["vip", "id"], "bob ann dan cat eve fay gus"],
    [
      "ignores scores and unknown fields",
      ["_score", { nothing: { order: "desc", unmapped_type: "long" } }],
      "ann bob cat dan eve fay gus",
    ],
  ])("%s", async ([, sort, expected]) => {
    expect(await names(sort)).toBe(expected);
  });

  test("of events can be by any property, with numbers before texts", async () => {
    const rows = await page({ "properties.amount": "asc" }, { target: "event", query: { term: { event: "Order" } } });
    expect(rows.map((row) => row.report.event_id)).toEqual(["e-6", "e-2", "e-3", "e-4", "e-9"]);
  });
});

test("documents are returned as they were written", async () => {
  const [row] = await page([], { query: { term: { name: "Bob O'Neil" } } });
  expect(row?.report).toMatchObject({ name: "Bob O'Neil", traits_mrr: 0, traits_langs: ["de"] });
});

describe("a row", () => {
  const reportOf = (name: string) => [...USERS, ...ACCOUNTS].find(({ report }) => report.id === id(name))?.report;

  test("of a user has the report, its segments, and its account with the segments of the account", async () => {
    const rows = await page([]);
    expect(rows.map(({ id: found, report, segmentIds, account }) => ({ found, report, segmentIds, account }))).toEqual([
      ...[
        ["ann", ["buyers"], "acme", ["partners"]] as const,
        ["bob", ["buyers", "readers"], "acme", ["partners"]] as const,
        ["cat", ["readers"], "globex", []] as const,
        ["dan", [], undefined, []] as const,
        ["eve", [], "bare", []] as const,
        ["fay", [], undefined, []] as const,
        ["gus", [], undefined, []] as const,
      ].map(([name, segments, account, accountSegments]) => ({
        found: id(name),
        report: reportOf(name),
        segmentIds: segments.map(id),
        account: account && { report: reportOf(account), segmentIds: accountSegments.map(id) },
      })),
    ]);
  });

  test("of an account has the report and its segments", async () => {
    const rows = await page([], { target: "account" });
    expect(rows.map(({ id: found, report, segmentIds, account }) => ({ found, report, segmentIds, account }))).toEqual([
      { found: id("acme"), report: reportOf("acme"), segmentIds: [id("partners")], account: undefined },
      { found: id("globex"), report: reportOf("globex"), segmentIds: [], account: undefined },
      { found: id("bare"), report: reportOf("bare"), segmentIds: [], account: undefined },
    ]);
  });

  test("of an event has the recorded event, no segments and not the original user", async () => {
    const rows = await page([], { target: "event", limit: 11 });
    expect(rows.map(({ id: found, report, segmentIds, account }) => ({ found, report, segmentIds, account }))).toEqual(
      EVENTS.map(({ origin_id: _, ...event }) => ({
        found: event.id,
        report: event,
        segmentIds: [],
        account: undefined,
      })),
    );
  });

  test("of an event that a merge moved has its present user", async () => {
    const [row] = await page([], { target: "event", query: { term: { event: "Moved" } } });
    expect(row?.report.user_id).toBe(id("bob"));
  });
});

test("pages by offset do not overlap", async () => {
  const pages = await Promise.all([0, 3, 6].map((offset) => names({ mrr: "desc" }, { limit: 3, offset })));
  expect(pages).toEqual(["eve ann cat", "bob dan fay", "gus"]);
});

test("a page without matching rows is empty", async () => {
  expect(await page({ mrr: "desc" }, { limit: 0 })).toEqual([]);
});

describe("continuing after a row", () => {
  const sorts: [string, unknown, Target?][] = [
    ["by id", []],
    ["by number", { mrr: "asc" }],
    ["by number, descending", { mrr: "desc" }],
    ["by number, missing first", { mrr: { order: "desc", missing: "_first" } }],
    ["by text", { "plan.raw": "asc" }],
    ["by date", { renewal_at: "desc" }],
    ["by created_at", { created_at: "desc" }],
    ["by boolean and number", [{ vip: "desc" }, { mrr: "asc" }]],
    ["by an account's field", [{ "account.employees": "desc" }, { plan: { order: "asc", missing: "_first" } }]],
    ["by an unknown field", { nothing: "asc" }],
    ["by an event's property", { "properties.amount": "desc" }, "event"],
    ["by an event's time", { created_at: "asc" }, "event"],
  ];

  test.for(sorts)("%s visits every row once, in order", async ([, sort, target = "user"]) => {
    const whole = await page(sort, { target });
    const visited: string[] = [];
    let searchAfter: unknown;
    for (;;) {
      const rows = await page(sort, { target, limit: 2, searchAfter });
      visited.push(...rows.map((row) => row.id));
      const last = rows.at(-1);
      if (last === undefined) break;
      searchAfter = last.cursor;
    }
    expect(visited).toEqual(whole.map((row) => row.id));
  });

  test("accepts a date as in the document", async () => {
    const [first, second] = await page({ created_at: "desc" });
    const after = await page({ created_at: "desc" }, { searchAfter: ["2024-06-15T11:00:00.000Z", first?.id] });
    expect(after[0]?.id).toBe(second?.id);
  });

  test("accepts a cursor that was converted to JSON and back", async () => {
    const [first, second] = await page({ mrr: "desc" });
    const searchAfter = JSON.parse(JSON.stringify(first?.cursor)) as unknown;
    expect((await page({ mrr: "desc" }, { searchAfter }))[0]?.id).toBe(second?.id);
  });

  test("refuses values that do not fit the sort", async () => {
    for (const searchAfter of [[], [1], ["x", ORG], [1, "no id"], "x", [{}, ORG]]) {
      await expect(page({ mrr: "asc" }, { limit: 1, searchAfter })).rejects.toThrow(QueryError);
    }
  });

  test("works beyond the highest offset", async () => {
    await expect(page([], { limit: 30, offset: 9_990 })).rejects.toThrow(/search_after/);
    expect(await names([], { limit: 30, searchAfter: [ORG] })).toBe("ann bob cat dan eve fay gus");
    expect(await names([], { limit: 2, searchAfter: [id("bob")] })).toBe("cat dan");
  });
});

test("the count is exact, without old versions, deleted rows and other organizations", async () => {
  const count = (query: unknown, target: Target) => questions.count(ORG, selectionOf(query, target));
  expect(await count({}, "user")).toBe(7);
  expect(await count({}, "account")).toBe(3);
  expect(await count({}, "event")).toBe(12);
  expect(await count({ term: { plan: "pro" } }, "user")).toBe(1);
});

describe("a sort is refused", () => {
  test.for<[string, unknown, string]>([
    ["with an unknown direction", { mrr: "up" }, "sort.mrr: expected one of asc, desc"],
    ["with an unknown option", { mrr: { order: "asc", mode: "min" } }, "sort.mrr.mode: unknown option"],
    [
      "with an unknown place for missing values",
      [{ mrr: { missing: "middle" } }],
      "sort.0.mrr.missing: expected one of _last, _first",
    ],
    ["when it is not an object", [5], "sort.0: expected an object"],
    [
      "with too many fields",
      Object.fromEntries(Array.from({ length: 11 }, (_, index) => [`f${index}`, "asc"])),
      "sort: expected at most 10 fields",
    ],
  ])("%s", ([, sort, message]) => {
    expect(() => parseSort(sort, { target: "user" })).toThrow(message);
  });
});
