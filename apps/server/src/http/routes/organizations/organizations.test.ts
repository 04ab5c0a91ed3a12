import { afterAll, beforeAll, expect, test } from "vitest";
import { openTestServer, type TestServer } from "../../../testing/test-server.js";

let server: TestServer;
beforeAll(async () => {
  server = await openTestServer({ BASE_DOMAIN: "muster.test" });
});
afterAll(() => server.close());

function create(payload: object) {
  const headers = server.operatorHeaders;
  return server.app.inject({ method: "POST", url: "/api/v1/organizations", headers, payload });
}

test("a new organization is listed and answers on its own host", async () => {
  const created = await create({ namespace: "acme", name: "Acme Ltd" });
  expect(created.statusCode).toBe(201);
  expect(created.json()).toMatchObject({ namespace: "acme", name: "Acme Ltd" });

  const list = await server.app.inject({ url: "/api/v1/organizations", headers: server.operatorHeaders });
  expect(list.json().map(({ namespace }: { namespace: string }) => namespace)).toEqual(["default", "acme"]);

  const headers = { ...server.operatorHeaders, host: "acme.muster.test" };
  expect((await server.app.inject({ url: "/api/v1/org", headers })).json()).toEqual(created.json());
});

test("the name of an organization is its namespace unless one is given", async () => {
  expect((await create({ namespace: "nameless" })).json()).toMatchObject({ name: "nameless" });
});

test("a connector of an organization gets the host of that organization", async () => {
  await create({ namespace: "globex" });
  const headers = { ...server.operatorHeaders, "svc-organization": "globex" };
  const answer = await server.app.inject({
    method: "POST",
    url: "/api/v1/connectors",
    headers,
    payload: { name: "x" },
  });
  expect(answer.json().organization).toMatch(/^globex\.muster\.test/);
});

test("a namespace can be used once", async () => {
  await create({ namespace: "twice" });
  const again = await create({ namespace: "twice" });
  expect(again.statusCode).toBe(409);
  expect(again.json().error.code).toBe("conflict");
});

test.each([
  "",
  "Upper",
  "under_score",
  "-dash",
  "dot.ted",
  "firehose",
  "localhost",
  "0123456789ab0123456789ab",
  "a".repeat(64),
])("%j is refused as a namespace", async (namespace) => {
  const answer = await create({ namespace });
  expect(answer.statusCode).toBe(400);
  expect(answer.json().error.code).toBe("invalid_parameter");
});
