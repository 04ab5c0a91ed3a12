import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { openOrganization, Sender } from "../../../testing/sender.js";
import { openTestServer, type TestServer } from "../../../testing/test-server.js";

let server: TestServer;
let sender: Sender;
beforeAll(async () => {
  server = await openTestServer();
  sender = new Sender(server);
  const ann = { user: { external_id: "ann" } };
  await sender.settle([
    sender.track(ann, "Ordered", { properties: { total: 20, cart: { items: 2 } }, source: "shop" }),
    sender.track(ann, "Ordered", { properties: { total: 30 }, source: "shop" }),
    sender.track(ann, "Ordered", { properties: { total: 30 }, created_at: "2020-01-01T00:00:00Z" }),
    sender.track(ann, "Viewed page"),
  ]);
});
afterAll(() => server.close());

const get = (path: string, headers: Record<string, string> = server.operatorHeaders) =>
  server.app.inject({ url: `/api/v1/events/${path}`, headers });

describe("the names of events", () => {
  test("are listed with their volume at all and lately", async () => {
    const answer = await get("names");
    expect(answer.headers["svc-total-count"]).toBe("2");
    expect(answer.json()).toMatchObject([
      {
        name: "Ordered",
        count: 3,
        last_24_hours: 2,
        last_7_days: 2,
        last_30_days: 2,
        first_at: "2020-01-01T00:00:00.000Z",
        emitted: false,
        sources: ["shop"],
        days: [...Array(29).fill(0), 2],
      },
      { name: "Viewed page", count: 1 },
    ]);
  });

  test("are found by a part of them, in pages and in another order", async () => {
    const names = async (query: string) =>
      (await get(`names?${query}`)).json<{ name: string }[]>().map((row) => row.name);
    expect(await names("text=ORDER")).toEqual(["Ordered"]);
    expect(await names("order=name&per_page=1&page=2")).toEqual(["Viewed page"]);
    expect((await get("names?order=other")).statusCode).toBe(400);
  });

  test("have properties, with types, frequency and values", async () => {
    expect((await get("properties?event=Ordered")).json()).toEqual({
      event: "Ordered",
      count: 3,
      sampled: 3,
      properties: [
        {
          name: "total",
          types: ["number"],
          count: 3,
          samples: [
            { value: 30, count: 2 },
            { value: 20, count: 1 },
          ],
        },
        { name: "cart.items", types: ["number"], count: 1, samples: [{ value: 2, count: 1 }] },
      ],
    });
    expect((await get("properties?event=Never")).json()).toMatchObject({ count: 0, properties: [] });
  });

  test("are of one organization", async () => {
    const other = await openOrganization(server, "others");
    expect((await get("names", other.headers)).json()).toEqual([]);
    expect((await get("properties?event=Ordered", other.headers)).json()).toMatchObject({ count: 0 });
  });
});

describe("the tracking plan", () => {
  const acme = { user: { external_id: "acme-ann" } };
  const put = (body: object) =>
    server.app.inject({ method: "PUT", url: "/api/v1/events/plan", headers: server.operatorHeaders, payload: body });
  const plan = async (event: string) => (await get(`plan?event=${encodeURIComponent(event)}`)).json();
  const TOTAL = { name: "total", type: "number", required: true };

  test("describes a name, keeps what is left out, and is empty for a name that nobody planned", async () => {
    expect(await plan("Paid")).toMatchObject({ event: "Paid", description: "", properties: null, updated_at: null });
    await put({ event: "Paid", description: "Money arrived.", owner: "Finance" });
    expect((await put({ event: "Paid", owner: "Shop" })).json()).toMatchObject({
      description: "Money arrived.",
      owner: "Shop",
      properties: null,
      problems: [],
    });
    expect((await put({ event: "Paid", refuse: true })).statusCode).toBe(400);
    expect((await put({ event: "Paid", properties: [TOTAL, TOTAL] })).json().message).toContain("twice");
  });

  test("counts what does not follow it, and stores these events", async () => {
    await put({ event: "Paid", properties: [TOTAL] });
    await sender.settle([
      sender.track(acme, "Paid", { properties: { total: 1 } }),
      sender.track(acme, "Paid", { properties: { total: "1", coupon: "x" } }),
      sender.track(acme, "Paid", { properties: { coupon: "y" } }),
    ]);
    expect((await plan("Paid")).problems).toMatchObject([
      { property: "coupon", problem: "unknown", found: "string", count: 2, refused: 0 },
      { property: "total", problem: "missing", found: "", count: 1 },
      { property: "total", problem: "wrong_type", found: "string", count: 1 },
    ]);
    expect(await sender.events({ event: "Paid" })).toHaveLength(3);
    expect((await get("names?text=paid")).json()).toMatchObject([{ planned: true, problems: 4, owner: "Shop" }]);
  });

  test("refuses what does not follow it, with the reason, and a retry is applied once the plan allows it", async () => {
    await put({ event: "Paid", refuse: true });
    await sender.settle([
      sender.track(acme, "Paid", { properties: { total: "2" } }),
      sender.track(acme, "Paid", { properties: { total: 2 } }),
    ]);
    expect(await sender.events({ event: "Paid" })).toHaveLength(4);
    const [rejected] = await sender.rejected();
    expect(rejected).toMatchObject({
      code: "invalid_entry",
      message: expect.stringContaining('the property "total" must be number and is string'),
    });
    await put({ event: "Paid", properties: [{ ...TOTAL, type: "string" }] });
    expect((await plan("Paid")).problems).toEqual([]);
    const retried = await sender.call("POST", "/ingestion/rejected/retry", { payload: { ids: [rejected?.id] } });
    await sender.waitFor(retried.json().position);
    expect(await sender.events({ event: "Paid" })).toHaveLength(5);
  });

  test("hides a name in lists, and shows it again on demand", async () => {
    await put({ event: "Viewed page", hidden: true });
    const names = async (query = "") => (await get(`names${query}`)).json<{ name: string }[]>().map(({ name }) => name);
    expect(await names()).not.toContain("Viewed page");
    expect(await names("?hidden=true")).toContain("Viewed page");
    const listed = (await sender.call("GET", "/search/event/bootstrap")).json<{ name: string }[]>();
    expect(listed.map(({ name }) => name)).not.toContain("Viewed page");
    expect(await sender.events({ event: "Viewed page" })).toHaveLength(1);
  });

  test("belongs to one organization, and its changes are in the audit log", async () => {
    const globex = await openOrganization(server, "globex-plans");
    expect((await globex.call("GET", "/events/plan?event=Paid")).json()).toMatchObject({ owner: "", properties: null });
    const log = await server.app.inject({ url: "/api/v1/audit", headers: server.operatorHeaders });
    const changes = log.json<{ action: string; label: string; before: object; after: object }[]>();
    expect(changes.find(({ action, label }) => action === "PUT /api/v1/events/plan" && label === "Paid")).toMatchObject(
      {
        after: { properties: [{ type: "string" }] },
      },
    );
  });

  test("merges a name into another: stored events and new ones are under one name, and a repeated record stays one event", async () => {
    const merge = (from: string, into: string) =>
      server.app.inject({
        method: "POST",
        url: "/api/v1/events/merge",
        headers: server.operatorHeaders,
        payload: { from, into },
      });
    const mia = { user: { external_id: "mia" } };
    const kept = { event_id: "order-1", created_at: "2026-01-01T00:00:00Z", properties: { total: 1 } };
    await sender.settle([
      sender.track(mia, "Order made", kept),
      sender.track(mia, "Order made", { properties: { total: 2 } }),
      sender.track(mia, "Order done", { properties: { total: 3 } }),
    ]);
    const segment = {
      name: "Makers",
      query: { has_child: { query: { term: { event: "Order made" } }, min_children: 2 } },
      predicate: {},
    };
    const { id } = (await sender.call("POST", "/users_segments", { payload: segment })).json<{ id: string }>();
    expect((await merge("Order done", "Order done")).statusCode).toBe(400);
    const ended = async (answer: { json<T>(): T }) => {
      const { id: jobId } = answer.json<{ id: string }>();
      const record = async () => (await sender.call("GET", `/${jobId}`)).json();
      return vi.waitUntil(
        async () => {
          const found = await record();
          return found.status === "completed" && found;
        },
        { timeout: 20_000 },
      );
    };
    const totalsOf = async (event: string) => {
      const found = await sender.events({ event });
      const totals = found.flatMap(({ properties }) =>
        properties.total === undefined ? [] : [Number(properties.total)],
      );
      return totals.sort((one, other) => one - other);
    };
    const trendOf = async (event: string) => {
      const payload = { series: [{ event }], interval: "day", from: "2025-12-01", to: "now" };
      const { series } = (await sender.call("POST", "/insights/trend", { payload })).json();
      return (series[0].points as { value: number }[]).reduce((sum, { value }) => sum + value, 0);
    };
    expect(await ended(await merge("Order made", "Order done"))).toMatchObject({
      type: "rewrite",
      object: "events",
      result: { changed: 2 },
    });
    await sender.settle([
      sender.track(mia, "Order made", { ...kept, properties: { total: 10 } }),
      sender.track(mia, "Order made", { properties: { total: 4 } }),
    ]);
    // Whoever asks for the old name finds the events of both.
    for (const name of ["Order done", "Order made"]) {
      expect([name, await totalsOf(name)]).toEqual([name, [2, 3, 4, 10]]);
      expect([name, await trendOf(name)]).toEqual([name, 4]);
    }
    const lea = { user: { external_id: "lea" } };
    await sender.settle([sender.track(lea, "Order done", {}), sender.track(lea, "Order made", {})]);
    const membersOf = async () => {
      const query = { term: { segment_ids: id } };
      const { data } = (await sender.call("POST", "/search/user_reports", { payload: { query } })).json();
      return (data as { external_id: string }[]).map(({ external_id }) => external_id).sort();
    };
    await vi.waitUntil(async () => (await membersOf()).join() === "lea,mia", { timeout: 20_000 });
    expect(await plan("Order made")).toMatchObject({ merged_into: "Order done", can_be_separated: true });
    expect(await plan("Order done")).toMatchObject({ merged_into: null, merged_from: ["Order made"] });
    expect((await get("names?text=order made&hidden=true")).json()).toEqual([]);
    const user = await sender.user({ external_id: "mia" });
    const shown = (await sender.call("GET", `/${user.id}`)).json();
    expect(shown.stats.actions).toEqual({ "Order done": 4 });
    expect((await merge("Order done", "Order made")).statusCode).toBe(400);
    expect((await merge("Order made", "Paid")).json().message).toContain("Undo that first");

    // A later merge of the new name takes the old one along, and both are undone one after the other.
    await ended(await merge("Order done", "Order"));
    expect(await totalsOf("Order made")).toEqual(expect.arrayContaining([2, 3, 4, 10]));
    const unmerge = (event: string) =>
      server.app.inject({
        method: "POST",
        url: "/api/v1/events/unmerge",
        headers: server.operatorHeaders,
        payload: { event },
      });
    await ended(await unmerge("Order done"));
    expect(await plan("Order made")).toMatchObject({ merged_into: "Order done" });
    expect(await sender.events({ event: "Order" })).toEqual([]);
    expect(await ended(await unmerge("Order made"))).toMatchObject({ result: { changed: 4 } });
    expect(await totalsOf("Order done")).toEqual([3]);
    expect(await totalsOf("Order made")).toEqual(expect.arrayContaining([2, 4, 10]));
    expect(await sender.events({ event: "Order made" })).not.toContainEqual(
      expect.objectContaining({ sent_as: expect.anything() }),
    );
    const after = (await sender.call("GET", `/${user.id}`)).json();
    expect(after.stats.actions).toEqual({ "Order done": 1, "Order made": 3 });
    await vi.waitUntil(async () => (await membersOf()).join() === "mia", { timeout: 20_000 });
    // A record that is sent again is the same event, under the name that it has now.
    await sender.settle([sender.track(mia, "Order made", { ...kept, properties: { total: 11 } })]);
    expect((await totalsOf("Order made")).filter((total) => total > 9)).toEqual([11]);
    expect((await unmerge("Order made")).statusCode).toBe(404);
  });
});
