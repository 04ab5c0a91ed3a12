import type { SearchAnswer } from "@muster/protocol/api/search";
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { QuestionTimeout } from "../../../storage/questions/question-timeout.js";
import { openOrganization, Sender } from "../../../testing/sender.js";
import { openTestServer, type TestServer } from "../../../testing/test-server.js";

let server: TestServer;
let sender: Sender;

const person = (name: string) => ({ user: { email: `${name}@example.com` } });

// Every third user has no score, and scores repeat. Sorting by score must still give one fixed order.
const NAMES = ["ann", "bob", "cat", "dan", "eve", "fay", "gus"];

beforeAll(async () => {
  server = await openTestServer();
  await server.listen();
  sender = new Sender(server);
  await sender.settle([
    ...NAMES.map((name, index) =>
      sender.traits(
        name < "d" ? { ...person(name), account: { domain: "acme.example" } } : person(name),
        { first_name: name, plan: index % 2 === 0 ? "pro" : "free", ...(index % 3 === 2 ? {} : { score: index % 2 }) },
        new Date(Date.UTC(2024, 0, 1 + index)),
      ),
    ),
    sender.traits({ account: { domain: "acme.example" }, subject: "account" }, { name: "Acme", size: 50 }),
    sender.track(person("ann"), "Order", { properties: { amount: 10 } }, new Date(Date.UTC(2024, 1, 1))),
    sender.track(person("ann"), "Order", { properties: { amount: 30 } }, new Date(Date.UTC(2024, 1, 2))),
    sender.track(person("bob"), "Visit", { properties: { path: "/" } }, new Date(Date.UTC(2024, 1, 3))),
  ]);
});

afterAll(() => server.close());
afterEach(() => vi.restoreAllMocks());

/** Filters that select everybody, and a histogram with five thousand buckets, all empty but two. */
const MANY = Array.from({ length: 10 }, () => ({}));
const FINE = { histogram: { field: "score", interval: 0.0002 } };

const SINGULAR = { query: {}, sort: { first_name: "asc" }, raw: true, page: 1, per_page: "30" };

async function search(payload: object = {}, path = "/search/user_reports"): Promise<SearchAnswer> {
  const answer = await sender.call("POST", path, { payload });
  expect([answer.statusCode, answer.body]).toEqual([200, expect.any(String)]);
  return answer.json();
}

async function names(payload: object): Promise<unknown[]> {
  return (await search({ sort: { first_name: "asc" }, ...payload })).data.map(({ first_name }) => first_name);
}

describe("the singular paths", () => {
  test.for<[string, object]>([
    ["/search/user_report", SINGULAR],
    ["/search/account_report", { ...SINGULAR, sort: { name: "asc" } }],
    ["/search/event", { ...SINGULAR, sort: undefined, sorting: { created_at: "asc" } }],
  ])("%s answers when every parameter is sent", async ([path, payload]) => {
    const { data, pagination, aggregations } = await search(payload, path);
    expect(data.length).toBe(pagination.total);
    expect(pagination).toMatchObject({ page: 1, per_page: 30, pages: 1 });
    expect(aggregations).toEqual({});
  });

  test.for<[string, string[]]>([
    ["/search/user_report", ["query", "sort", "raw", "page", "per_page"]],
    ["/search/account_report", ["query", "sort", "raw", "page", "per_page"]],
    ["/search/event", ["query", "sorting", "raw", "page", "per_page"]],
  ])("%s refuses a request and names every missing parameter", async ([path, missing]) => {
    const answer = await sender.call("POST", path, { payload: {} });
    const { error } = answer.json();
    expect([answer.statusCode, error.code]).toEqual([400, "missing_parameters"]);
    expect(error.details.map((detail: { path: string }) => detail.path)).toEqual(missing.map((name) => `body.${name}`));
  });

  test("for events expect `sorting`, not `sort`", async () => {
    const answer = await sender.call("POST", "/search/event", { payload: SINGULAR });
    expect(answer.json().message).toContain("sorting");
  });

  test("support only the raw format", async () => {
    const answer = await sender.call("POST", "/search/user_report", { payload: { ...SINGULAR, raw: false } });
    expect([answer.statusCode, answer.json().error.details[0].path]).toEqual([400, "body.raw"]);
    expect((await sender.call("POST", "/search/user_reports", { payload: { raw: false } })).statusCode).toBe(400);
  });

  test("are for connectors only", async () => {
    const answer = await sender.callAs(person("ann"), "POST", "/search/user_reports", { payload: {} });
    expect(answer.statusCode).toBe(403);
  });
});

describe("the plural paths", () => {
  test("have defaults: all users, the newest first, 30 per page", async () => {
    const { data, pagination } = await search();
    expect(data.map(({ first_name }) => first_name)).toEqual([...NAMES].reverse());
    expect(pagination).toMatchObject({ total: 7, pages: 1, page: 1, per_page: 30 });
  });

  test("accept GET with objects as JSON", async () => {
    const query = encodeURIComponent(JSON.stringify({ term: { plan: "pro" } }));
    const answer = await sender.call(
      "GET",
      `/search/user_reports?query=${query}&sort={"first_name":"desc"}&per_page=2`,
    );
    expect(answer.json().data.map(({ first_name }: { first_name: string }) => first_name)).toEqual(["gus", "eve"]);
    expect((await sender.call("GET", "/search/user_reports?query={")).statusCode).toBe(400);
  });

  test.for(["sort", "sorting"])("accept `%s`", async (name) => {
    const { data } = await search({ [name]: { created_at: "asc" }, per_page: 1 }, "/search/events");
    expect(data[0]).toMatchObject({ event: "Order", properties: { amount: 10 } });
  });

  test("accept a filter: it and the query must both match", async () => {
    expect(await names({ query: { term: { plan: "pro" } }, filter: { term: { score: 0 } } })).toEqual([
      "ann",
      "eve",
      "gus",
    ]);
    expect(await names({ filter: { term: { plan: "free" } } })).toEqual(["bob", "dan", "fay"]);
  });
});

describe("a page", () => {
  test("may have its numbers as text", async () => {
    const { data, pagination } = await search({ per_page: "2", page: "2", sort: { first_name: "asc" } });
    expect(data.map(({ first_name }) => first_name)).toEqual(["cat", "dan"]);
    expect(pagination).toMatchObject({ total: 7, pages: 4, page: 2, per_page: 2 });
  });

  test("of size 0 has only the count", async () => {
    const { data, pagination } = await search({ per_page: 0, aggs: { plans: { terms: { field: "plan" } } } });
    expect(data).toEqual([]);
    expect(pagination).toEqual({ total: 7, pages: 0, page: 1, per_page: 0 });
  });

  test("after the last one is empty, and the total is unchanged", async () => {
    expect(await search({ page: 9 })).toMatchObject({ data: [], pagination: { total: 7, page: 9 } });
  });

  test.for<[string, object, string]>([
    ["more than a thousand", { per_page: 1_001 }, "per_page"],
    ["a fraction", { per_page: 1.5 }, "per_page"],
    ["negative", { page: -1 }, "page"],
    ["a word", { page: "two" }, "page"],
    ["deeper than ten thousand rows", { page: 1_001, per_page: 10 }, "page"],
  ])("cannot be %s", async ([, payload, name]) => {
    const answer = await sender.call("POST", "/search/user_reports", { payload });
    expect(answer.statusCode).toBe(400);
    expect(answer.json().error.details[0].path).toContain(name);
  });

  test.for<[string, "asc" | "desc"]>([
    ["score", "asc"],
    ["score", "desc"],
    ["traits_score", "asc"],
    ["account.name", "asc"],
  ])("repeats and skips no user when sorted by %s %s, which some users lack", async ([field, direction]) => {
    const everybody = (await search({ sort: { [field]: direction } })).data.map(({ id }) => id);
    expect(new Set(everybody).size).toBe(7);
    const paged = [];
    for (let page = 1; page <= 4; page++) {
      paged.push(...(await search({ sort: { [field]: direction }, page, per_page: 2 })).data.map(({ id }) => id));
    }
    expect(paged).toEqual(everybody);
    const followed = [];
    let after: unknown;
    do {
      const { data, pagination } = await search({ sort: { [field]: direction }, per_page: 2, search_after: after });
      followed.push(...data.map(({ id }) => id));
      after = pagination.search_after;
    } while (after !== undefined);
    expect(followed).toEqual(everybody);
  });

  test("has users without a value last, or first on request", async () => {
    const scores = async (sort: unknown) =>
      (await search({ sort })).data.map(({ traits_score }) => traits_score ?? null);
    expect(await scores([{ score: "desc" }])).toEqual([1, 1, 0, 0, 0, null, null]);
    expect(await scores({ score: { order: "asc", missing: "_first" } })).toEqual([null, null, 0, 0, 0, 1, 1]);
  });
});

describe("a report", () => {
  test("is flat, with the account and the time of indexing", async () => {
    const { data } = await search({ query: { term: { email: "ann@example.com" } } });
    expect(data).toHaveLength(1);
    expect(data[0]).toMatchObject({
      email: "ann@example.com",
      traits_plan: "pro",
      traits_score: 0,
      segment_ids: [],
      account: { domain: "acme.example", size: 50, segment_ids: [] },
      indexed_at: expect.stringMatching(/^\d{4}-/),
    });
  });

  test("can be limited to some fields, with wildcards, and always has the id", async () => {
    const query = { term: { first_name: "ann" } };
    const keys = async (fields: object) => Object.keys((await search({ query, ...fields })).data[0] ?? {}).sort();
    expect(await keys({ include: ["email", "traits_*"] })).toEqual(["email", "id", "traits_plan", "traits_score"]);
    expect(await keys({ fields: "first_name" })).toEqual(["first_name", "id"]);
    expect((await sender.call("POST", "/search/user_reports", { payload: { include: [7] } })).statusCode).toBe(400);
  });

  test("of an event has its id under two names", async () => {
    const { data } = await search({ query: { term: { event: "Visit" } } }, "/search/events");
    expect(data).toEqual([
      expect.objectContaining({ _id: data[0]?.id, event: "Visit", event_source: "", properties: { path: "/" } }),
    ]);
    expect(data[0]).not.toHaveProperty("origin_id");
  });
});

describe("questions", () => {
  test.for<[string, object, string[]]>([
    ["by an attribute, with or without its prefix", { term: { traits_plan: "free" } }, ["bob", "dan", "fay"]],
    [
      "by the events of a user",
      { has_child: { type: "event", query: { term: { event: "Order" } }, min_children: 2 } },
      ["ann"],
    ],
    [
      "by events that a user does not have",
      {
        bool: {
          must_not: { with_child: { query: { term: { event: "Order" } } } },
          must: { exists: { field: "account_id" } },
        },
      },
      ["bob", "cat"],
    ],
    ["by the account", { range: { "account.size": { gte: 50 } } }, ["ann", "bob", "cat"]],
  ])("%s", async ([, query, expected]) => {
    expect(await names({ query })).toEqual(expected);
  });

  test("about events by their user", async () => {
    const query = { has_parent: { parent_type: "user_report", query: { terms: { plan: ["free"] } } } };
    const { data } = await search(
      { query: { bool: { must: [query, { term: { event: "Visit" } }] } } },
      "/search/events",
    );
    expect(data).toHaveLength(1);
  });

  test("aggregate over all matching users, not only those of the page", async () => {
    const { aggregations } = await search({
      per_page: 1,
      query: { exists: { field: "score" } },
      aggs: { plans: { terms: { field: "plan" } }, score: { stats: { field: "score" } } },
    });
    expect(aggregations).toEqual({
      plans: {
        buckets: [
          { key: "pro", doc_count: 3 },
          { key: "free", doc_count: 2 },
        ],
      },
      score: { count: 5, min: 0, max: 1, avg: 0.4, sum: 2 },
    });
  });

  test.for<[string, object, string]>([
    [
      "an unknown clause",
      { query: { bool: { must: [{ term: { plan: "pro" } }, { fuzzy: { plan: "pro" } }] } } },
      "query.bool.must.1",
    ],
    ["two clauses in one", { query: { term: { a: 1 }, range: { b: { gt: 1 } } } }, "query"],
    ["text for a number", { query: { range: { score: { gt: "many" } } } }, "query.range"],
    ["an unknown sort direction", { sort: { plan: "up" } }, "sort"],
    ["an unknown aggregation", { aggs: { it: { percentiles: { field: "score" } } } }, "aggs.it"],
    [
      "the first list of more buckets than an answer has",
      { per_page: 0, aggs: { it: { filters: { filters: MANY }, aggs: { gaps: FINE, more: FINE } } } },
      "aggs.it",
    ],
    ["a cursor of another sort", { sort: { score: "asc" }, search_after: [1] }, "search_after"],
  ])("are refused with the path of %s", async ([, payload, path]) => {
    const answer = await sender.call("POST", "/search/user_reports", { payload });
    const { error } = answer.json();
    expect([answer.statusCode, error.code]).toEqual([400, "invalid_query"]);
    expect(error.details[0].path.startsWith(path), error.details[0].path).toBe(true);
    expect(error.message).toContain(error.details[0].message);
  });
});

test("a question that takes too long is refused", async () => {
  vi.spyOn(server.questions, "count").mockRejectedValue(new QuestionTimeout(30));
  const answer = await sender.call("POST", "/search/user_reports", { payload: {} });
  expect([answer.statusCode, answer.json()]).toMatchObject([
    504,
    { error: { code: "question_timeout", message: "The question took longer than 30 seconds." } },
  ]);
});

test.each(["/search/user_reports", "/segments/preview"])(
  "the question of %s is aborted when the caller disconnects",
  async (path) => {
    let asked: AbortSignal | undefined;
    vi.spyOn(server.questions, "count").mockImplementation((_organizationId, _selection, options) => {
      asked = options?.signal;
      return new Promise((_, reject) => asked?.addEventListener("abort", () => reject(asked?.reason)));
    });
    const leaving = new AbortController();
    const headers = { ...sender.headers, "content-type": "application/json" };
    const answer = fetch(`${server.url}/api/v1${path}`, {
      method: "POST",
      headers,
      body: "{}",
      signal: leaving.signal,
    });
    await vi.waitFor(() => expect(asked?.aborted).toBe(false));
    leaving.abort();
    await expect(answer).rejects.toThrow();
    await vi.waitFor(() => expect(asked?.aborted).toBe(true));
  },
);

test("users of another organization are not found", async () => {
  const globex = await openOrganization(server, "globex");
  const answer = await globex.call("POST", "/search/user_reports", { payload: {} });
  expect(answer.json().pagination.total).toBe(0);
});

test("a search that waits for a position sees what was written there", async () => {
  const { position } = await sender.send([sender.traits(person("new"), { plan: "trial" })]);
  const answer = await sender.call("POST", "/search/user_reports", {
    payload: { query: { term: { plan: "trial" } } },
    headers: { "svc-wait-for": position },
  });
  expect(answer.json().pagination.total).toBe(1);
});

describe("the events of an organization", () => {
  test.for(["/search/event/bootstrap", "/search/events/bootstrap"])("are listed at %s", async (path) => {
    const answer = await sender.call("GET", path);
    const events = answer.json<{ name: string }[]>().filter(({ name }) => name !== "attributes_changed");
    expect(events).toEqual([
      {
        name: "Order",
        properties: [{ name: "amount", type: "number" }],
        count: 2,
        created_at: expect.any(String),
        updated_at: expect.any(String),
        emitted: false,
      },
      expect.objectContaining({ name: "Visit", properties: [{ name: "path", type: "string" }], count: 1 }),
    ]);
    expect(answer.headers["svc-total-count"]).toBe(String(answer.json().length));
  });

  test("are read page by page, and only the names of the page are counted", async () => {
    const all = (await sender.call("GET", "/search/event/bootstrap")).json<{ name: string }[]>();
    const counted = vi.spyOn(server.questions, "countEventsByName");
    onTestFinished(() => counted.mockRestore());
    const page = (number: number) => sender.call("GET", `/search/event/bootstrap?page=${number}&per_page=1`);
    for (const [index, event] of all.entries()) {
      const answer = await page(index + 1);
      expect(answer.json()).toEqual([event]);
      expect(answer.headers["svc-total-count"]).toBe(String(all.length));
      expect(counted.mock.lastCall).toEqual([expect.any(String), [event.name]]);
    }
    expect((await page(all.length + 1)).json()).toEqual([]);
  });

  test("include those that Muster records", async () => {
    await sender.settle([sender.traits(person("ann"), { plan: "enterprise" })]);
    const events = (await sender.call("GET", "/search/event/bootstrap")).json<{ name: string }[]>();
    expect(events.find(({ name }) => name === "attributes_changed")).toMatchObject({
      emitted: true,
      properties: [{ name: "changes", type: "json" }],
    });
  });
});
