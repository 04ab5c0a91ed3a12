import { createId } from "@muster/protocol";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { openTestServer, type TestServer, withTestServer } from "../../../testing/test-server.js";

interface Credentials {
  id: string;
  secret: string;
}

let server: TestServer;
let crm: Credentials;
let crmHeaders: Record<string, string>;
beforeAll(async () => {
  server = await openTestServer();
});
beforeEach(async () => {
  crm = (await asOperator("POST", "/connectors", { name: "CRM" })).json();
  crmHeaders = headersOf(crm);
});
afterAll(() => server.close());

type Method = "GET" | "POST" | "PUT" | "DELETE";

function call(headers: Record<string, string>, method: Method, path: string, payload?: object) {
  return server.app.inject({ method, url: `/api/v1${path}`, headers, ...(payload ? { payload } : {}) });
}
const asOperator = (method: Method, path: string, payload?: object) =>
  call(server.operatorHeaders, method, path, payload);

function headersOf({ id, secret }: Credentials): Record<string, string> {
  return { "Svc-App-Id": id, "Svc-Access-Token": secret };
}

test("the operator creates a connector and gets its credentials, which work", async () => {
  const answer = await asOperator("POST", "/connectors", { name: "Shop" });
  expect(answer.statusCode).toBe(201);
  expect(answer.json()).toEqual({
    id: expect.stringMatching(/^[0-9a-f]{24}$/),
    secret: expect.stringMatching(/^[0-9a-f]{48}$/),
    organization: expect.stringMatching(/^127\.0\.0\.1:\d+$/),
    name: "Shop",
    firehose_url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/firehose$/),
  });
  expect((await call(headersOf(answer.json()), "GET", "/app")).json()).toMatchObject({
    id: answer.json().id,
    name: "Shop",
    manifest: {},
    settings: {},
    private_settings: {},
    status: { status: "ok", messages: [], updated_at: null },
    enabled: true,
    accept_incoming_webhooks: true,
  });
});

test("settings and private settings are merged separately, and unknown keys are kept", async () => {
  await call(crmHeaders, "PUT", "/app", { settings: { a: 1, b: 2 }, private_settings: { token: "t" } });
  const answer = await call(crmHeaders, "PUT", `/${crm.id}`, { settings: { b: 3, c: { deep: true } } });
  expect(answer.statusCode).toBe(200);
  expect(answer.json()).toMatchObject({
    settings: { a: 1, b: 3, c: { deep: true } },
    private_settings: { token: "t" },
  });
});

test("a connector may put back the record that it has read, with other settings, and cannot disable itself by it", async () => {
  const record = (await call(crmHeaders, "GET", "/app")).json();
  const answer = await call(crmHeaders, "PUT", "/app", { ...record, private_settings: { cursor: 7 } });
  expect([answer.statusCode, answer.json()]).toMatchObject([200, { private_settings: { cursor: 7 } }]);
  for (const switched of [{ enabled: false }, { when_disabled: "hold" }]) {
    expect((await call(crmHeaders, "PUT", "/app", { ...record, ...switched })).statusCode).toBe(403);
  }
});

test("settings changed at the same time are all kept", async () => {
  const names = Array.from({ length: 10 }, (_, index) => `key${index}`);
  await Promise.all(names.map((name) => call(crmHeaders, "PUT", "/app", { private_settings: { [name]: name } })));
  const { private_settings: kept } = (await call(crmHeaders, "GET", "/app")).json();
  expect(Object.keys(kept).sort()).toEqual(names);
});

describe("secrets and private settings", () => {
  test("only the connector itself and the operator see them", async () => {
    await call(crmHeaders, "PUT", "/app", { private_settings: { token: "hidden value" } });
    expect((await call(crmHeaders, "GET", `/${crm.id}`)).json()).toMatchObject({ secret: crm.secret });
    expect((await asOperator("GET", `/${crm.id}`)).json()).toMatchObject({
      private_settings: { token: "hidden value" },
    });

    for (const path of [`/${crm.id}`, "/connectors"]) {
      const text = (await call(server.connectorHeaders, "GET", path)).body;
      expect(text).toContain(crm.id);
      expect(text).not.toContain(crm.secret);
      expect(text).not.toContain("hidden value");
    }
  });
});

describe("a connector may not", () => {
  test.each<[string, Method, (id: string) => string, object | undefined]>([
    ["change another's settings", "PUT", (id) => `/${id}`, { settings: {} }],
    ["set another's status", "PUT", (id) => `/${id}/status`, { status: "ok", messages: [] }],
    ["remove another", "DELETE", (id) => `/${id}`, undefined],
    ["replace another's secret", "POST", (id) => `/${id}/secret`, undefined],
    ["create one", "POST", () => "/connectors", { name: "x" }],
    ["install one", "POST", () => "/connectors/install", { url: "http://127.0.0.1:9" }],
  ])("%s", async (_what, method, path, payload) => {
    const answer = await call(server.connectorHeaders, method, path(crm.id), payload);
    expect(answer.statusCode).toBe(403);
    expect(answer.json().error.code).toBe("forbidden");
  });
});

test("a replaced secret stops working at once, and so do tokens signed with it", async () => {
  const answer = await asOperator("POST", `/${crm.id}/secret`);
  expect(answer.statusCode).toBe(200);
  expect(answer.json().secret).not.toBe(crm.secret);
  expect((await call(crmHeaders, "GET", "/app")).statusCode).toBe(401);
  expect((await call(headersOf(answer.json()), "GET", "/app")).statusCode).toBe(200);
});

test("the credentials of a removed connector stop working", async () => {
  expect((await asOperator("DELETE", `/${crm.id}`)).json()).toEqual({ id: crm.id, deleted: true });
  expect((await call(crmHeaders, "GET", "/app")).statusCode).toBe(401);
  expect((await asOperator("GET", `/${crm.id}`)).statusCode).toBe(404);
});

test("the secret of a connector that does not exist cannot be replaced", async () => {
  expect((await asOperator("POST", `/${createId("connector")}/secret`)).statusCode).toBe(404);
});

describe("the status", () => {
  test("the connector sets it, and all connectors can read it", async () => {
    const set = await call(crmHeaders, "PUT", "/app/status", {
      status: "warning",
      messages: ["The token expires soon."],
    });
    expect(set.statusCode).toBe(200);
    expect(set.json()).toEqual({
      id: crm.id,
      name: "CRM",
      status: "warning",
      messages: ["The token expires soon."],
      updated_at: expect.stringMatching(/Z$/),
    });
    expect((await call(server.connectorHeaders, "GET", `/${crm.id}/status`)).json()).toEqual(set.json());
    expect((await call(crmHeaders, "GET", "/app/status")).json()).toEqual(set.json());
    const { jobs, connectors } = (await call(server.connectorHeaders, "GET", "/status")).json();
    expect(jobs).toEqual([]);
    expect(connectors).toContainEqual(set.json());
  });

  test.each([
    [{}, ["body.status", "body.messages"]],
    [{ status: "ok" }, ["body.messages"]],
    [{ status: "fine", messages: [] }, ["body.status"]],
    [{ status: "fine", messages: "none" }, ["body.status", "body.messages"]],
  ])("%j is refused, and the answer names every wrong parameter", async (payload, paths) => {
    const answer = await call(crmHeaders, "PUT", "/app/status", payload);
    expect(answer.statusCode).toBe(400);
    expect(answer.json().error.details.map(({ path }: { path: string }) => path)).toEqual(paths);
  });

  test("with another brand than the default, messages may be left out: older importers give none", async () => {
    await withTestServer({ BRAND: "Hull" }, async (older) => {
      const put = (payload?: object) =>
        older.app.inject({
          method: "PUT",
          url: "/api/v1/app/status",
          headers: older.connectorHeaders,
          ...(payload ? { payload } : {}),
        });
      await put({ status: "error", messages: ["The file is gone."] });
      const answer = await put({ status: "ok" });
      expect([answer.statusCode, answer.json()]).toMatchObject([200, { status: "ok", messages: [] }]);
      expect((await put({ messages: [] })).statusCode).toBe(400);
      expect((await put([])).statusCode).toBe(400);
      expect((await put()).json().message).toBe("Required parameters are missing: status.");
      expect((await put({ status: "ok", messages: "none" })).statusCode).toBe(400);
    });
  });
});

test("calls to a service are added up by the minute, with the least that the service still allowed", async () => {
  const report = (metrics: object[]) => call(crmHeaders, "POST", "/app/metrics", { metrics });
  const none = (await call(crmHeaders, "GET", "/app/metrics")).json();
  expect(none).toMatchObject({ total: { calls: 0 }, last: { at: null, remaining: null } });
  await report([
    { name: "ship.service_api.call", value: 2 },
    { name: "ship.service_api.remaining", value: 90 },
    { name: "ship.service_api.remaining", value: 88 },
  ]);
  expect((await report([{ name: "ship.service_api.call", value: 3 }])).json()).toEqual({ counted: 1 });
  const { points, total, last } = (await asOperator("GET", `/${crm.id}/metrics?range=day`)).json();
  expect(total).toEqual({ calls: 5 });
  expect(last).toEqual({ at: expect.stringContaining("T"), remaining: 88 });
  expect(points.filter(({ calls }: { calls: number }) => calls > 0)).toMatchObject([{ calls: 5, remaining: 88 }]);

  // Other metrics are not shown to anybody, and another connector can neither read nor change these.
  expect((await report([{ name: "another.metric", value: 1 }])).statusCode).toBe(400);
  expect((await report([{ name: "ship.service_api.call", value: -1 }])).statusCode).toBe(400);
  const other = headersOf((await asOperator("POST", "/connectors", { name: "Other" })).json());
  expect((await call(other, "GET", `/${crm.id}/metrics`)).statusCode).toBe(403);
  expect((await call(other, "POST", `/${crm.id}/metrics`, { metrics: [] })).statusCode).toBe(403);
});
