import type { Segment as SegmentDetails } from "@muster/protocol/api/segments";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { Sender } from "../../../testing/sender.js";
import { openTestServer, type TestServer } from "../../../testing/test-server.js";

let server: TestServer;
let sender: Sender;

const person = (name: string) => ({ user: { email: `${name}@example.com` } });
const WAIT = { timeout: 10_000, interval: 50 };
const PRO = { term: { plan: "pro" } };

beforeAll(async () => {
  server = await openTestServer();
  sender = new Sender(server);
  await sender.settle([
    sender.traits({ ...person("ann"), account: { domain: "acme.example" } }, { plan: "pro", mrr: 10 }),
    sender.traits(person("bob"), { plan: "free", mrr: 20 }),
    sender.traits(person("cat"), { plan: "pro", mrr: 30 }),
    sender.traits({ account: { domain: "acme.example" }, subject: "account" }, { size: 50 }),
  ]);
});

afterAll(() => server.close());

async function create(payload: object, path = "/users_segments"): Promise<SegmentDetails> {
  const answer = await sender.call("POST", path, { payload: { predicate: {}, ...payload } });
  expect([answer.statusCode, answer.body]).toEqual([201, expect.any(String)]);
  return answer.json();
}

/** Waits until a segment has a number of members. */
async function filled(id: string, members: number): Promise<SegmentDetails> {
  return vi.waitFor(async () => {
    const segment = (await sender.object(id)) as unknown as SegmentDetails;
    expect(Object.values(segment.stats)).toEqual([members]);
    return segment;
  }, WAIT);
}

describe("a segment that is created", () => {
  test("is returned completely, and gets its members", async () => {
    const segment = await create({ name: "Pros", query: PRO });
    expect(segment).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{24}$/),
      name: "Pros",
      type: "users_segment",
      query: PRO,
      predicate: {},
      description: "",
      tags: [],
      folder: "",
      stats: { users: 0 },
      evaluated: false,
      evaluated_at: null,
      stale_seconds: expect.any(Number),
      status: "ok",
      error: null,
      warnings: [],
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
    expect(await filled(segment.id, 2)).toMatchObject({ name: "Pros", stats: { users: 2 } });
    await vi.waitFor(async () => expect(await sender.object(segment.id)).toMatchObject({ evaluated: true }), WAIT);
  });

  test("says when everybody was last compared with it, and how stale it can be", async () => {
    const lasting = await create({ name: "Lasting", query: PRO });
    const recent = await create({ name: "Recent", query: { range: { created_at: { gte: "now-30d" } } } });
    const read = async ({ id }: { id: string }) => sender.object(id);
    for (const segment of [lasting, recent])
      await vi.waitFor(async () => expect(await read(segment)).toMatchObject({ evaluated: true }), WAIT);
    await server.database.query("update segments set evaluated_at = now() - interval '5 seconds'");
    expect(await read(lasting)).toMatchObject({ evaluated_at: expect.any(String), stale_seconds: 0 });
    expect((await read(recent)).stale_seconds).toBeGreaterThanOrEqual(5);
    const metrics = await server.app.inject({ url: "/metrics", headers: server.operatorHeaders });
    const [, staleness] = /^muster_segment_staleness_seconds\{.*\} (.*)$/m.exec(metrics.body) ?? [];
    expect(Number(staleness)).toBeGreaterThanOrEqual(5);
  });

  test("is refused without its parameters, and the refusal names all of them", async () => {
    const answer = await sender.call("POST", "/users_segments", { payload: {} });
    expect([answer.statusCode, answer.json().error.code]).toEqual([400, "missing_parameters"]);
    expect(answer.json().error.details.map(({ path }: { path: string }) => path)).toEqual([
      "body.name",
      "body.query",
      "body.predicate",
    ]);
  });

  test("is refused with a wrong query, and the refusal has the path of the error", async () => {
    const payload = { name: "Broken", query: { bool: { filter: [{ near: {} }] } }, predicate: {} };
    const answer = await sender.call("POST", "/users_segments", { payload });
    expect([answer.statusCode, answer.json().error.code]).toEqual([400, "invalid_query"]);
    expect(answer.json().error.details[0].path).toContain("query.bool.filter.0");
  });

  test("with a predicate and an empty query gets its query from the predicate", async () => {
    const property = { key: "traits_mrr", type: "number", entity: "user" };
    const predicate = { type: "all", predicates: [{ property, operator: "greater_than", options: { value: 15 } }] };
    const segment = await create({ name: "Paying", query: {}, predicate });
    expect(segment.query).not.toEqual({});
    expect(segment.predicate).toEqual(predicate);
    await filled(segment.id, 2);
  });

  test.for<[string, string, object]>([
    ["on the path for accounts", "/accounts_segments", {}],
    ["on the path for users, by its type", "/users_segments", { type: "accounts_segment" }],
  ])("is a segment of accounts %s", async ([, path, type]) => {
    const segment = await create({ name: "Large", query: { range: { size: { gte: 50 } } }, ...type }, path);
    expect(segment).toMatchObject({ type: "accounts_segment", stats: { accounts: 0 } });
    await filled(segment.id, 1);
    await sender.call("DELETE", `/${segment.id}`);
  });

  test("is for connectors only", async () => {
    const payload = { name: "x", query: {}, predicate: {} };
    expect((await sender.callAs(person("ann"), "POST", "/users_segments", { payload })).statusCode).toBe(403);
  });
});

describe("segments are listed", () => {
  test("separately for users and accounts, and together", async () => {
    const ofUsers = await create({ name: "List u", query: {} });
    const ofAccounts = await create({ name: "List a", query: {} }, "/accounts_segments");
    const ids = async (path: string) => (await sender.call("GET", path)).json<SegmentDetails[]>().map(({ id }) => id);
    expect(await ids("/users_segments")).toContain(ofUsers.id);
    expect(await ids("/users_segments")).not.toContain(ofAccounts.id);
    expect(await ids("/accounts_segments")).toEqual([ofAccounts.id]);
    expect(await ids("/segments")).toEqual(expect.arrayContaining([ofUsers.id, ofAccounts.id]));
  });

  test("completely unless a page is requested, with the total in a header", async () => {
    const all = await sender.call("GET", "/users_segments");
    const one = await sender.call("GET", "/users_segments?per_page=1");
    expect(all.json().length).toBeGreaterThan(1);
    expect(one.json()).toEqual(all.json().slice(0, 1));
    expect(one.headers["svc-total-count"]).toBe(String(all.json().length));
  });
});

describe("a segment that is changed", () => {
  test("keeps values that are not sent, and its members follow the query", async () => {
    const { id } = await create({ name: "Before", query: PRO });
    await filled(id, 2);
    const renamed = await sender.call("PUT", `/${id}`, { payload: { name: "After" } });
    expect(renamed.json()).toMatchObject({ name: "After", query: PRO, stats: { users: 2 } });
    await sender.call("PUT", `/${id}`, { payload: { query: { term: { plan: "free" } } } });
    await filled(id, 1);
  });

  test("can be changed with POST too, and gets the query of a new predicate", async () => {
    const { id } = await create({ name: "By query", query: PRO });
    const property = { key: "plan", type: "string", entity: "user" };
    const predicate = { type: "all", predicates: [{ property, operator: "equals", options: { value: "free" } }] };
    const answer = await sender.call("POST", `/${id}`, { payload: { predicate } });
    expect(answer.statusCode).toBe(200);
    expect(answer.json().query).not.toEqual(PRO);
    await filled(id, 1);
  });

  test("keeps no predicate that was made for another query", async () => {
    const property = { key: "plan", type: "string", entity: "user" };
    const predicate = { type: "all", predicates: [{ property, operator: "equals", options: { value: "free" } }] };
    const { id, query } = await create({ name: "Built", query: {}, predicate });
    const change = async (payload: object) => (await sender.call("PUT", `/${id}`, { payload })).json();
    expect(await change({ name: "Renamed", query })).toMatchObject({ name: "Renamed", query, predicate });
    const changed = await change({ query: PRO });
    expect([changed.query, changed.predicate]).toEqual([PRO, {}]);
  });

  test("keeps its query when its predicate is emptied", async () => {
    const { id } = await create({ name: "Emptied", query: PRO });
    const answer = await sender.call("PUT", `/${id}`, { payload: { predicate: {} } });
    expect(answer.json().query).toEqual(PRO);
  });

  test.for<[string, object, string]>([
    ["an empty name", { name: "" }, "body.name"],
    ["a query that is a text", { query: "all" }, "body.query"],
    ["an invalid query", { query: { near: {} } }, "query"],
    ["a value that is no number for a number", { query: { term: { mrr: "much" } } }, "query.term"],
  ])("is refused with %s", async ([, payload, path]) => {
    const { id } = await create({ name: "Steady", query: PRO });
    const answer = await sender.call("PUT", `/${id}`, { payload });
    expect([answer.statusCode, answer.json().error.details[0].path]).toEqual([400, expect.stringContaining(path)]);
    expect(await sender.object(id)).toMatchObject({ name: "Steady", query: PRO });
    await sender.call("DELETE", `/${id}`);
  });

  test("cannot be read after it was deleted, and is missing in all reports", async () => {
    const { id } = await create({ name: "Short-lived", query: PRO });
    await filled(id, 2);
    expect((await sender.user(person("ann").user)).segment_ids).toContain(id);
    expect((await sender.call("DELETE", `/${id}`)).json()).toEqual({ id, deleted: true });
    expect((await sender.call("GET", `/${id}`)).statusCode).toBe(404);
    expect((await sender.user(person("ann").user)).segment_ids).not.toContain(id);
    const left = { bool: { must: [{ term: { event: "Left segment" } }, { term: { "properties.segment_id": id } }] } };
    await vi.waitFor(async () => {
      const answer = await sender.call("POST", "/search/events", { payload: { query: left } });
      expect(answer.json().pagination.total).toBe(2);
    }, WAIT);
  });
});

describe("the segments of a user", () => {
  test("have the time of entering, and their ids are in reports and search results", async () => {
    const before = new Date().toISOString();
    const { id } = await create({ name: "Since", query: PRO });
    await filled(id, 2);
    const ann = await sender.user(person("ann").user);
    const segments = (await sender.call("GET", `/${ann.id}/segments`)).json<
      (SegmentDetails & { entered_at: string })[]
    >();
    const since = segments.find((segment) => segment.id === id);
    expect(since).toMatchObject({ name: "Since", query: PRO });
    expect(since?.entered_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(since?.entered_at && since.entered_at >= before).toBe(true);
    const payload = { query: { term: { segment_ids: id } }, sort: { email: "asc" } };
    const { data } = (await sender.call("POST", "/search/user_reports", { payload })).json();
    expect(data.map(({ email }: { email: string }) => email)).toEqual(["ann@example.com", "cat@example.com"]);
    for (const report of [data[0], ann]) expect(report.segment_ids).toContain(id);
  });

  test("are in the report of the user, and an end user does not see their queries and sizes", async () => {
    const { id } = await create({ name: "Reported", query: PRO });
    await filled(id, 2);
    const { user } = person("ann");
    const own = (await sender.callAs({ user }, "GET", "/me/user_report")).json();
    const segments = (await sender.callAs({ user }, "GET", "/me/segments")).json();
    expect(own.segments).toEqual(segments);
    expect(own.segments.map((segment: { id: string }) => segment.id)).toEqual(own.segment_ids);
    const shown = own.segments.find((segment: { id: string }) => segment.id === id);
    expect(shown).toMatchObject({ name: "Reported", type: "users_segment" });
    for (const key of ["query", "predicate", "stats"]) expect(shown).not.toHaveProperty(key);

    const report = (await sender.call("GET", `/${own.id}/user_report`)).json();
    const listed = (await sender.call("GET", `/${own.id}/segments`)).json();
    // The clock goes on between the two answers.
    const atOneMoment = (segment: object) => ({ ...segment, stale_seconds: expect.any(Number) });
    expect(report.segments).toEqual(listed.map(atOneMoment));
    expect(report.segments).toContainEqual(expect.objectContaining({ id, query: PRO, stats: { users: 2 } }));
  });

  test("can be read with the user's own token, but not with that of another user", async () => {
    const own = await sender.callAs(person("ann"), "GET", "/me/segments");
    expect(own.statusCode).toBe(200);
    const { id } = await sender.user(person("bob").user);
    expect((await sender.callAs(person("ann"), "GET", `/${id}/segments`)).statusCode).toBe(403);
  });

  test.for(["000000000000100000000000", "nobody", "000000000000200000000000"])("are 404 for %s", async (id) => {
    expect((await sender.call("GET", `/${id}/segments`)).statusCode).toBe(404);
  });
});

describe("a preview", () => {
  test("has the users that match, and saves nothing", async () => {
    const before = (await sender.call("GET", "/segments")).json().length;
    const answer = await sender.call("POST", "/segments/preview", { payload: { query: PRO } });
    expect(answer.json()).toMatchObject({ count: 2, entering: { count: 0 }, leaving: { count: 0 } });
    expect(answer.json().sample[0]).toHaveProperty("traits_plan", "pro");
    expect((await sender.call("GET", "/segments")).json().length).toBe(before);
  });

  test("of a saved segment has the users who would enter and leave", async () => {
    const { id } = await create({ name: "Saved", query: PRO });
    await filled(id, 2);
    const query = { range: { mrr: { gte: 20 } } };
    const { count, entering, leaving } = (
      await sender.call("POST", "/segments/preview", { payload: { query, segment_id: id } })
    ).json();
    const emails = (side: { sample: { email: string }[] }) => side.sample.map(({ email }) => email);
    expect([count, entering.count, leaving.count]).toEqual([2, 1, 1]);
    expect(emails(entering)).toEqual(["bob@example.com"]);
    expect(emails(leaving)).toEqual(["ann@example.com"]);
  });

  test("can have a predicate, and can be of accounts", async () => {
    const property = { key: "plan", type: "string", entity: "user" };
    const predicate = { type: "any", predicates: [{ property, operator: "is_set" }] };
    expect((await sender.call("POST", "/segments/preview", { payload: { predicate } })).json().count).toBe(3);
    const payload = { type: "accounts_segment", query: { term: { size: 50 } } };
    expect((await sender.call("POST", "/segments/preview", { payload })).json().count).toBe(1);
  });

  test("of an unknown segment is 404", async () => {
    const payload = { query: {}, segment_id: "000000000000200000000000" };
    expect((await sender.call("POST", "/segments/preview", { payload })).statusCode).toBe(404);
  });
});

describe("a count", () => {
  const count = (payload: object) => sender.call("POST", "/segments/count", { payload });

  test("says how many match, of how many, and how long it took", async () => {
    expect((await count({ query: PRO })).json()).toEqual({ count: 2, total: 3, took_ms: expect.any(Number) });
    expect((await count({})).json()).toMatchObject({ count: 3, total: 3 });
    expect((await count({ type: "accounts_segment" })).json()).toMatchObject({ count: 1, total: 1 });
  });

  test("of a predicate that is wrong names the place", async () => {
    const predicate = { type: "all", predicates: [{ property: { key: "plan" }, operator: "sounds_like" }] };
    const answer = await count({ predicate });
    expect([answer.statusCode, answer.json().error.details[0].path]).toEqual([400, "predicate.predicates.0.operator"]);
  });

  test("of an unknown segment is 404", async () => {
    expect((await count({ segment_id: "000000000000200000000000" })).statusCode).toBe(404);
  });
});

describe("a conversion", () => {
  const convert = async (payload: object) => (await sender.call("POST", "/segments/convert", { payload })).json();
  const predicate = {
    type: "all",
    predicates: [
      { property: { key: "plan", type: "string", entity: "user" }, operator: "equals", options: { value: "pro" } },
    ],
  };

  test("gives the predicate of a query, and the query of a predicate", async () => {
    expect(await convert({ query: PRO })).toEqual({ query: PRO, predicate, sentence: 'plan is "pro"', warnings: [] });
    expect(await convert({ predicate })).toMatchObject({ query: { bool: { must: [PRO] } }, predicate });
  });

  test("gives no predicate of a query that a builder cannot show", async () => {
    const query = { regexp: { plan: "p.*" } };
    expect(await convert({ query })).toEqual({ query, predicate: null, sentence: "plan fits /p.*/", warnings: [] });
  });

  test("says whether it means the same as a saved segment", async () => {
    const two = { bool: { must: [PRO, { term: { team: "red" } }] } };
    const { id } = await create({ name: "Compared", query: two });
    const other = { bool: { filter: [{ terms: { team: ["red"] } }, { bool: { should: [PRO] } }] } };
    expect(await convert({ query: other, segment_id: id })).toMatchObject({ unchanged: true });
    expect(await convert({ query: PRO, segment_id: id })).toMatchObject({ unchanged: false });
    expect(await convert({ query: PRO })).not.toHaveProperty("unchanged");
  });

  test("names segments in the sentence", async () => {
    const { id } = await create({ name: "Named here", query: PRO });
    const { sentence } = await convert({ query: { term: { segment_ids: id } } });
    expect(sentence).toBe('is in the segment "Named here"');
  });
});

describe("an explanation", () => {
  test("has for each clause whether it holds and the value it was compared with", async () => {
    const query = { bool: { must: [PRO, { range: { mrr: { gt: 25 } } }] } };
    const segment = await create({ name: "Explained", query });
    const { id } = await sender.user(person("ann").user);
    const answer = await sender.call("GET", `/${id}/segments/${segment.id}/explain`);
    expect(answer.json()).toEqual({
      matches: false,
      clauses: [
        expect.objectContaining({ path: "query.bool.must.0.term", holds: true, seen: "pro" }),
        expect.objectContaining({ path: "query.bool.must.1.range", holds: false, seen: 10 }),
      ],
    });
  });

  test.for(["000000000000100000000000", "nobody", "a-name-that-is-much-longer-than-an-id"])(
    "about %s is 404",
    async (id) => {
      const segment = await create({ name: `Of ${id}`, query: PRO });
      expect((await sender.call("GET", `/${id}/segments/${segment.id}/explain`)).statusCode).toBe(404);
    },
  );

  test("of an account for a segment of users, or for an unknown segment, is 404", async () => {
    const segment = await create({ name: "Of users", query: PRO });
    const ann = await sender.user(person("ann").user);
    expect((await sender.call("GET", `/${ann.account_id}/segments/${segment.id}/explain`)).statusCode).toBe(404);
    expect((await sender.call("GET", `/${ann.id}/segments/000000000000200000000000/explain`)).statusCode).toBe(404);
  });
});
