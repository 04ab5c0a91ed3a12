import { createBrand, signToken } from "@muster/protocol";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openTestServer, type TestServer } from "../../../testing/test-server.js";

const brand = createBrand("Hull");

let server: TestServer;
beforeAll(async () => {
  server = await openTestServer({ BRAND: "Hull" });
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
  const body = {
    event: "Viewed",
    properties: { rank: 3 },
    url: "https://shop.test/boat",
    source: "shop",
    type: "page",
  };
  const batch = [{ type: "track", timestamp: now, headers: { [brand.headers.accessToken]: token }, body }];
  const sent = await call("/firehose", { batch, timestamp: now, sentAt: now });
  const waiting = { ...server.connectorHeaders, [brand.headers.waitFor]: sent.json().position };
  const waited = await server.app.inject({ url: "/api/v1/app", headers: waiting });
  expect([sent.statusCode, waited.statusCode]).toEqual([200, 200]);
});
afterAll(() => server.close());

function call(url: string, payload: object) {
  return server.app.inject({ method: "POST", url, headers: server.connectorHeaders, payload });
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
