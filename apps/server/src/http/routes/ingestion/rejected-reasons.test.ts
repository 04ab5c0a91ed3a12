import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openOrganization, Sender } from "../../../testing/sender.js";
import { openTestServer, type TestServer } from "../../../testing/test-server.js";

interface Reason {
  code: string;
  reason: string;
  count: number;
  waiting: number;
}

const NOBODY = 'Nobody is known by external_id "…".';
const ann = { user: { external_id: "ann" } };

let server: TestServer;
let sender: Sender;
beforeAll(async () => {
  server = await openTestServer();
  sender = new Sender(server);
  await sender.settle([sender.traits(ann, { age: 30 })]);
  await sender.settle([
    ...["a", "b", "c"].map((id) => sender.track({ user: { external_id: id }, create: false }, "Waited")),
    sender.traits(ann, { age: "thirty" }),
    sender.traits(ann, { age: "forty" }),
  ]);
});
afterAll(() => server.close());

const reasons = async (query = "") =>
  (await sender.call("GET", `/ingestion/rejected/reasons${query}`)).json<Reason[]>();

const post = (path: string, payload: object) => sender.call("POST", `/ingestion/rejected/${path}`, { payload });

describe("the reasons of rejected entries", () => {
  test("are listed with the number of their entries, whatever values the entries have", async () => {
    expect(await reasons()).toMatchObject([
      { code: "not_found", reason: NOBODY, count: 3, waiting: 3, connector_ids: [server.first.connector.id] },
      { code: "invalid_attribute", reason: expect.stringContaining('The attribute "age"'), count: 2, waiting: 2 },
    ]);
    expect(await reasons("?per_page=1&page=2")).toHaveLength(1);
    expect(await reasons("?text=FORTY")).toMatchObject([{ code: "invalid_attribute", count: 1 }]);
  });

  test("filter the list of entries", async () => {
    const listed = await sender.call("GET", `/ingestion/rejected?reason=${encodeURIComponent(NOBODY)}`);
    expect(listed.headers["svc-total-count"]).toBe("3");
    expect(listed.json()).toMatchObject(Array(3).fill({ code: "not_found", reason: NOBODY }));
  });

  test("of one organization are not shown to another", async () => {
    const other = await openOrganization(server, "others");
    expect((await other.call("GET", "/ingestion/rejected/reasons")).json()).toEqual([]);
    const discarded = await other.call("POST", "/ingestion/rejected/discard", { payload: {} });
    expect(discarded.json()).toEqual({ discarded: 0 });
    expect(await reasons()).toHaveLength(2);
  });
});

describe("rejected entries", () => {
  test("are retried by their reason, and the others are not", async () => {
    await sender.settle([sender.traits({ user: { external_id: "a" } }, {})]);
    const retried = (await post("retry", { reason: NOBODY })).json<{ retried: number; position: string }>();
    expect(retried).toMatchObject({ retried: 3 });
    await sender.waitFor(retried.position);
    expect(await sender.events({ event: "Waited" })).toHaveLength(1);
    // Two of them are rejected again.
    expect(await reasons()).toMatchObject([
      { reason: NOBODY, count: 5, waiting: 2 },
      { code: "invalid_attribute", waiting: 2 },
    ]);
    expect(await reasons("?retried=true")).toMatchObject([{ reason: NOBODY, count: 3, waiting: 0 }]);
  });

  test("are discarded by their reason", async () => {
    expect((await post("discard", { reason: NOBODY })).json()).toEqual({ discarded: 5 });
    expect(await reasons()).toMatchObject([{ code: "invalid_attribute", count: 2 }]);
  });

  test("can be retried with another body, which is checked first", async () => {
    const [first] = (await sender.call("GET", "/ingestion/rejected?text=forty")).json<{ id: number }[]>();
    const many = Object.fromEntries(Array.from({ length: 2_001 }, (_, at) => [`a${at}`, 1]));
    const refused = await post(`${first?.id}/retry`, { body: many });
    expect([refused.statusCode, refused.json().error.message]).toEqual([400, expect.stringContaining("at most 2000")]);
    const retried = (await post(`${first?.id}/retry`, { body: { age: 40 } })).json<{ position: string }>();
    await sender.waitFor(retried.position);
    expect(await sender.user(ann.user)).toMatchObject({ traits_age: 40 });
    expect((await post("999999/retry", { body: {} })).statusCode).toBe(404);
  });

  test("are not retried with another body by another connector", async () => {
    const [first] = (await sender.call("GET", "/ingestion/rejected")).json<{ id: number }[]>();
    const created = await server.app.inject({
      method: "POST",
      url: "/api/v1/connectors",
      headers: server.operatorHeaders,
      payload: { name: "Colleague" },
    });
    const colleague = new Sender(server, created.json());
    const answer = await colleague.call("POST", `/ingestion/rejected/${first?.id}/retry`, { payload: { body: {} } });
    expect(answer.statusCode).toBe(404);
  });
});
