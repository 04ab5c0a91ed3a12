import { createBrand, signToken } from "@muster/protocol";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openTestServer, type TestServer } from "../../../testing/test-server.js";

const brand = createBrand("Hull");

let server: TestServer;
beforeAll(async () => {
  server = await openTestServer({ BRAND: "Hull" });
  await send("track", {
    event: "Viewed",
    properties: { rank: 3 },
    url: "https://shop.test/boat",
    source: "shop",
    type: "page",
  });
});
afterAll(() => server.close());

function call(url: string, payload: object) {
  return server.app.inject({ method: "POST", url, headers: server.connectorHeaders, payload });
}

/** Sends an entry about a user, and waits until it is searchable. */
async function send(type: "track" | "traits", body: object): Promise<void> {
  const { id, secret } = server.first.connector;
  const token = signToken(
    {
      iss: id,
      iat: Math.floor(Date.now() / 1_000),
      [brand.claims.subjectType]: "user",
      [brand.claims.asUser]: { email: "ann@example.com" },
    },
    secret,
  );
  const now = new Date().toISOString();
  const batch = [{ type, timestamp: now, headers: { [brand.headers.accessToken]: token }, body }];
  const sent = await call("/firehose", { batch, timestamp: now, sentAt: now });
  const waiting = { ...server.connectorHeaders, [brand.headers.waitFor]: sent.json().position };
  const waited = await server.app.inject({ url: "/api/v1/app", headers: waiting });
  expect([sent.statusCode, waited.statusCode]).toEqual([200, 200]);
}

test("with the brand of older clients, found events also have the keys that these clients read", async () => {
  const { data } = (await call("/api/v1/search/events", { query: {} })).json();
  expect(data).toMatchObject([
    {
      event: "Viewed",
      event_source: "shop",
      source: "shop",
      event_type: "page",
      type: "page",
      properties: { rank: 3 },
      props: [{ field_name: "rank", num_value: 3 }],
      context: { page: { url: "https://shop.test/boat" }, page_url: "https://shop.test/boat", page_path: "/boat" },
    },
  ]);
});

test("they can be asked for by name", async () => {
  const { data } = (await call("/api/v1/search/events", { query: {}, include: ["props", "source"] })).json();
  expect(data).toEqual([{ id: expect.any(String), source: "shop", props: [{ field_name: "rank", num_value: 3 }] }]);
});

test("changed attributes are the event that older connectors filter, and stay changes on the timeline", async () => {
  await send("traits", { plan: "free" });
  await send("traits", { plan: "pro" });
  const query = { bool: { filter: [{ terms: { event: ["Attributes changed"] } }] } };
  const { data } = (await call("/api/v1/search/events", { query, sort: { created_at: "desc" } })).json();
  expect(data[0]).toMatchObject({ event: "Attributes changed", properties: { changes: { plan: { to: "pro" } } } });
  const read = async (path: string) =>
    (await server.app.inject({ url: `/api/v1${path}`, headers: server.connectorHeaders })).json();
  expect((await read("/search/event/bootstrap")).map(({ name }: { name: string }) => name)).toEqual([
    "Attributes changed",
    "Viewed",
  ]);
  const { items } = await read(`/${data[0].user_id}/timeline?kinds=change`);
  expect(items).toMatchObject([{ kind: "change" }, { kind: "change" }]);
});

test("a segment is created with its query alone", async () => {
  const query = { term: { email: "ann@example.com" } };
  const created = await call("/api/v1/users_segments", { name: "Ann", query });
  expect([created.statusCode, created.json()]).toMatchObject([201, { query, predicate: {} }]);
});
