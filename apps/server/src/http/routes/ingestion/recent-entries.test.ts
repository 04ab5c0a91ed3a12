import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { PATIENCE } from "../../../testing/bulk.js";
import { openOrganization, Sender } from "../../../testing/sender.js";
import { openTestServer, type TestServer } from "../../../testing/test-server.js";

interface Recent {
  entries: Record<string, unknown>[];
  after: number;
  missed: number;
}

let server: TestServer;
let sender: Sender;
beforeAll(async () => {
  server = await openTestServer();
  sender = new Sender(server);
});
afterAll(() => server.close());

const ann = { user: { external_id: "ann" } };

async function read(query = "", headers = server.operatorHeaders): Promise<Recent> {
  return (await server.app.inject({ url: `/api/v1/ingestion/recent?${query}`, headers })).json();
}

describe("the entries that are arriving", () => {
  test("are shown to the operator with what became of each, without tokens", async () => {
    const { after } = await read();
    await sender.settle([sender.traits(ann, { age: 30 })]);
    await sender.settle([
      sender.track(ann, "Ordered", { properties: { total: 20 } }),
      sender.traits(ann, { age: "thirty" }),
      { type: "track", headers: {}, body: { event: "Ordered", properties: { total: 3 } } } as never,
    ]);
    const recent = await vi.waitUntil(async () => {
      const page = await read(`after=${after}`);
      return page.entries.length >= 5 && page;
    }, PATIENCE);
    expect(recent.entries).toMatchObject([
      { outcome: "accepted", type: "traits", body: { age: 30 } },
      { outcome: "refused", type: "track", event: "Ordered", code: "invalid_token", user: null },
      { outcome: "accepted", type: "track", event: "Ordered", user: ann.user, source: "connector" },
      { outcome: "accepted", type: "traits", body: { age: "thirty" } },
      {
        outcome: "rejected",
        type: "traits",
        code: "invalid_attribute",
        message: expect.stringContaining('The attribute "age" was refused'),
        connector_id: server.first.connector.id,
        body: { age: "thirty" },
      },
    ]);
    expect(JSON.stringify(recent)).not.toMatch(/eyJ|"headers"/);
    expect(await read(`after=${recent.after}`)).toMatchObject({ entries: [], missed: 0 });
  });

  test("are shown as duplicates when a batch is sent again", async () => {
    const { after } = await read();
    const batch = [sender.track(ann, "Paid")];
    await sender.settle(batch);
    await sender.send(batch);
    const { entries } = await read(`after=${after}`);
    expect(entries).toMatchObject([
      { outcome: "accepted", event: "Paid" },
      { outcome: "duplicate", event: "Paid" },
    ]);
  });

  test("of end users are shown as from a browser, refused ones too", async () => {
    const { after } = await read();
    await sender.callAs(ann, "POST", "/me/track", { payload: { event: "Viewed" } });
    await sender.callAs(ann, "POST", "/me/track", { payload: { event: "User merged" } });
    const { entries } = await read(`after=${after}`);
    expect(entries).toMatchObject([
      { outcome: "accepted", source: "browser", event: "Viewed" },
      { outcome: "refused", source: "browser", event: "User merged", code: "forbidden" },
    ]);
  });

  test("are filtered by type, event, outcome and user", async () => {
    const queries = ["type=track&event=Left", "outcome=refused", "user=BEN"];
    for (const query of queries) await read(query);
    await sender.settle([
      sender.track({ user: { external_id: "ben" } }, "Left"),
      sender.track(ann, "Came"),
      { type: "nothing" } as never,
    ]);
    const events = await Promise.all(
      queries.map(async (query) => (await read(query)).entries.map(({ event }) => event)),
    );
    expect(events).toEqual([["Left"], [null], ["Left"]]);
  });

  test("are not shown to another organization, nor to another connector", async () => {
    const other = await openOrganization(server, "strangers");
    const created = await server.app.inject({
      method: "POST",
      url: "/api/v1/connectors",
      headers: server.operatorHeaders,
      payload: { name: "Colleague" },
    });
    const colleague = new Sender(server, created.json());
    const watchers = [other.headers, colleague.headers, sender.headers];
    const connectorId = server.first.connector.id;
    const look = (headers: Record<string, string>) => read(`connector_id=${connectorId}`, headers);
    for (const headers of watchers) await look(headers);
    await sender.settle([sender.track(ann, "Private")]);
    const counts = await Promise.all(watchers.map(async (headers) => (await look(headers)).entries.length));
    expect(counts).toEqual([0, 0, 1]);
    expect((await sender.callAs(ann, "GET", "/ingestion/recent")).statusCode).toBe(403);
  });
});
