import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CATALOG, NOW, nameOf, ORG } from "../cases/dataset.test.data.js";
import { type Engine, openDataset } from "../cases/engine.test.kit.js";
import type { Entity } from "../entity.js";
import { parse } from "../parse/parse.js";
import { parseSort } from "../parse/parse-sort.js";
import { QueryError } from "../query-error.js";
import { countStatement, type SearchRow, searchStatement, streamStatement } from "./search.js";

let engine: Engine;
const options = { org: ORG, catalog: CATALOG, now: NOW, entity: "user" } as const;

beforeAll(async () => {
  engine = await openDataset();
});

afterAll(() => engine.close());

function page(
  sort: unknown,
  more: { limit?: number; offset?: number; searchAfter?: unknown; entity?: Entity; query?: unknown } = {},
) {
  const { limit = 100, entity = "user", query = {}, ...rest } = more;
  const statement = searchStatement(
    parse(query, { entity }),
    { sort: parseSort(sort, { entity }), limit, ...rest },
    { ...options, entity },
  );
  return engine.rows<SearchRow>(statement);
}

async function names(...args: Parameters<typeof page>): Promise<string> {
  return (await page(...args)).map((row) => nameOf(row.id)).join(" ");
}

describe("the order of a page", () => {
  test.for<[string, unknown, string]>([
    ["is by id when nothing is asked", [], "ann bob cat dan eve fay gus"],
    ["ascends by number with missing values last", { mrr: "asc" }, "dan bob cat ann eve fay gus"],
    ["descends by number with missing values last too", { mrr: "desc" }, "eve ann cat bob dan fay gus"],
    [
      "has missing values first where asked",
      { mrr: { order: "asc", missing: "_first" } },
      "fay gus dan bob cat ann eve",
    ],
    ["is by text", { "email.raw": "asc" }, "eve ann bob cat dan fay gus"],
    ["is by date", { renewal_at: "asc" }, "bob ann cat eve dan fay gus"],
    ["is by boolean", { vip: "desc" }, "ann dan bob cat eve fay gus"],
    ["is by created_at", { created_at: "desc" }, "dan eve cat bob ann fay gus"],
    ["is by an array's smallest element", { langs: "asc" }, "cat bob ann dan eve fay gus"],
    ["is by an array's largest element when descending", { langs: "desc" }, "ann cat bob dan eve fay gus"],
    ["is by an account's number", { "account.employees": "asc" }, "cat ann bob dan eve fay gus"],
    [
      "is by an account's date, without an account last",
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

  test("of events is by any property, numbers before texts", async () => {
    const rows = await page({ "properties.amount": "asc" }, { entity: "event", query: { term: { event: "Order" } } });
    expect(rows.map((row) => JSON.parse(row.doc).event_id)).toEqual(["e-6", "e-2", "e-3", "e-4", "e-9"]);
  });
});

test("documents come as they were written", async () => {
  const [row] = await page([], { query: { term: { name: "Bob O'Neil" } } });
  expect(JSON.parse(row?.doc ?? "")).toMatchObject({ name: "Bob O'Neil", traits_mrr: 0, traits_langs: ["de"] });
});

test("pages by offset follow one another without overlap", async () => {
  const pages = await Promise.all([0, 3, 6].map((offset) => names({ mrr: "desc" }, { limit: 3, offset })));
  expect(pages).toEqual(["eve ann cat", "bob dan fay", "gus"]);
});

test("a page of nothing is empty", async () => {
  expect(await page({ mrr: "desc" }, { limit: 0 })).toEqual([]);
});

describe("going on after a row", () => {
  const sorts: [string, unknown, Entity?][] = [
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

  test.for(sorts)("%s visits every row once, in order", async ([, sort, entity = "user"]) => {
    const whole = await page(sort, { entity });
    const visited: string[] = [];
    let searchAfter: unknown;
    for (;;) {
      const rows = await page(sort, { entity, limit: 2, searchAfter });
      visited.push(...rows.map((row) => row.id));
      const last = rows.at(-1);
      if (last === undefined) break;
      searchAfter = JSON.parse(last.cursor);
    }
    expect(visited).toEqual(whole.map((row) => row.id));
  });

  test("takes a date as the document shows it", async () => {
    const [first, second] = await page({ created_at: "desc" });
    const after = await page({ created_at: "desc" }, { searchAfter: ["2024-06-15T11:00:00.000Z", first?.id] });
    expect(after[0]?.id).toBe(second?.id);
  });

  test("refuses values that do not fit the sort", () => {
    const sort = parseSort({ mrr: "asc" }, { entity: "user" });
    const all = parse({}, { entity: "user" });
    for (const searchAfter of [[], [1], ["x", ORG], [1, "no id"], "x", [{}, ORG]]) {
      expect(() => searchStatement(all, { sort, limit: 1, searchAfter }, options)).toThrow(QueryError);
    }
  });

  test("is the way past the deepest page", () => {
    const all = parse({}, { entity: "user" });
    expect(() => searchStatement(all, { sort: [], limit: 30, offset: 9_990 }, options)).toThrow(/search_after/);
    expect(searchStatement(all, { sort: [], limit: 30, searchAfter: [ORG] }, options).sql).toContain("id > {");
  });
});

test("the count is exact and leaves out what is old, deleted or another organization's", async () => {
  const count = async (query: unknown, entity: Entity) =>
    Number(
      (await engine.rows<{ count: number }>(countStatement(parse(query, { entity }), { ...options, entity })))[0]
        ?.count,
    );
  expect(await count({}, "user")).toBe(7);
  expect(await count({}, "account")).toBe(3);
  expect(await count({}, "event")).toBe(12);
  expect(await count({ term: { plan: "pro" } }, "user")).toBe(1);
});

test("every matching document can be streamed", async () => {
  const rows = await engine.rows<{ id: string; doc: string }>(
    streamStatement(parse({ term: { vip: true } }, { entity: "user" }), options),
  );
  expect(rows.map((row) => nameOf(row.id)).sort()).toEqual(["ann", "dan"]);
  expect(JSON.parse(rows[0]?.doc ?? "")).toHaveProperty("email");
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
    ["when it is no object", [5], "sort.0: expected an object"],
    [
      "with too many fields",
      Object.fromEntries(Array.from({ length: 11 }, (_, index) => [`f${index}`, "asc"])),
      "sort: expected at most 10 fields",
    ],
  ])("%s", ([, sort, message]) => {
    expect(() => parseSort(sort, { entity: "user" })).toThrow(message);
  });
});
