import { createId } from "@muster/protocol";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { Sender } from "../../../testing/sender.js";
import { signInAs } from "../../../testing/signed-in.js";
import { openTestServer, type TestServer, withTestServer } from "../../../testing/test-server.js";

interface Credentials {
  id: string;
  secret: string;
  write_key: string;
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

function headersOf({ id, secret }: Pick<Credentials, "id" | "secret">): Record<string, string> {
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
    write_key: expect.stringMatching(/^wks_[A-Za-z0-9]{32}$/),
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

describe("write keys", () => {
  const PAGE = { kind: "page", name: "Shop", domains: ["shop.example.com"] };
  const createPage = async () => (await asOperator("POST", `/${crm.id}/write_keys`, PAGE)).json();

  test("are created, listed, changed, rolled and deleted", async () => {
    const created = await asOperator("POST", `/${crm.id}/write_keys`, PAGE);
    const { id, key } = created.json();
    expect([created.statusCode, created.json()]).toEqual([
      201,
      {
        id: expect.stringMatching(/^\d+$/),
        kind: "page",
        name: "Shop",
        domains: ["shop.example.com"],
        apps: [],
        trust_identify: false,
        key: expect.stringMatching(/^wkp_[A-Za-z0-9]{32}$/),
        created_at: expect.stringMatching(/Z$/),
        last_used_at: null,
      },
    ]);
    expect((await asOperator("GET", `/${crm.id}/write_keys`)).json()).toEqual([
      expect.objectContaining({ kind: "server", name: "Server key", key: crm.write_key, domains: [] }),
      created.json(),
    ]);
    const path = `/${crm.id}/write_keys/${id}`;
    const changed = await asOperator("PUT", path, { apps: ["com.example.shop"], trust_identify: true });
    expect(changed.json()).toEqual({ ...created.json(), apps: ["com.example.shop"], trust_identify: true });
    const rolled = await asOperator("POST", `${path}/roll`);
    expect(rolled.json()).toEqual({ ...changed.json(), key: expect.not.stringMatching(key) });
    expect((await asOperator("DELETE", path)).json()).toEqual({ id, deleted: true });
    for (const [method, gone] of [
      ["PUT", path],
      ["POST", `${path}/roll`],
      ["DELETE", path],
    ] as const) {
      expect((await asOperator(method, gone, method === "PUT" ? {} : undefined)).statusCode).toBe(404);
    }
  });

  test("of which one is a server's stay when the secret is replaced", async () => {
    expect((await asOperator("POST", `/${crm.id}/secret`)).json().write_key).toBe(crm.write_key);
    const [{ id }] = (await asOperator("GET", `/${crm.id}/write_keys`)).json();
    await asOperator("DELETE", `/${crm.id}/write_keys/${id}`);
    expect((await asOperator("POST", `/${crm.id}/secret`)).json().write_key).toBeNull();
  });

  test.each([
    { kind: "page", name: "Shop" },
    { kind: "page", name: "Shop", domains: ["https://shop.example.com"] },
    { kind: "page", name: "Shop", domains: Array.from({ length: 201 }, (_, index) => `shop${index}.example.com`) },
    { kind: "page", name: "Shop", apps: Array.from({ length: 51 }, (_, index) => `com.example.shop${index}`) },
    { kind: "server", name: "Server", domains: ["shop.example.com"] },
    { kind: "other", name: "Other", domains: ["shop.example.com"] },
    { kind: "server", name: "" },
  ])("are refused when they cannot be used: %#", async (payload) => {
    expect((await asOperator("POST", `/${crm.id}/write_keys`, payload)).statusCode).toBe(400);
  });

  test("of the kind server are shown to owners and the connector itself, and to nobody else", async () => {
    const { key: pageKey } = await createPage();
    const path = `/${crm.id}/write_keys`;
    const seen = async (headers: Record<string, string>, at = path) => {
      const { statusCode, body } = await call(headers, "GET", at);
      return [statusCode, body.includes(crm.write_key), body.includes(pageKey)];
    };
    expect(await seen((await signInAs(server, "owner")).headers)).toEqual([200, true, true]);
    expect(await seen(crmHeaders, "/app/write_keys")).toEqual([200, true, true]);
    for (const role of ["viewer", "editor"] as const) {
      const { headers } = await signInAs(server, role);
      expect(await seen(headers)).toEqual([200, false, true]);
      expect(await seen(headers, `/${crm.id}`)).toEqual([200, false, false]);
      expect((await call(headers, "POST", path, PAGE)).statusCode).toBe(403);
    }
    // Another connector of the organization, and an end user with a token of this very connector.
    expect(await seen(server.connectorHeaders)).toEqual([403, false, false]);
    const token = new Sender(server, crm).token({ user: { external_id: "42" } });
    expect(await seen({ "Svc-App-Id": crm.id, "Svc-Access-Token": token })).toEqual([403, false, false]);
    const another = await asOperator("POST", "/connectors", { name: "Another" });
    const [{ id }] = (await asOperator("GET", path)).json();
    expect((await asOperator("POST", `/${another.json().id}/write_keys/${id}/roll`)).statusCode).toBe(404);
  });

  test("are in the audit log with every change, and without their texts", async () => {
    const { id, key } = await createPage();
    const path = `/${crm.id}/write_keys/${id}`;
    await asOperator("PUT", path, { trust_identify: true });
    const { key: rolled } = (await asOperator("POST", `${path}/roll`)).json();
    await asOperator("DELETE", path);
    const { body } = await asOperator("GET", `/audit?object_id=${crm.id}`);
    const entries: { action: string; label: string; before: object | null; after: object | null }[] = JSON.parse(body);
    const ofKeys = entries.filter(({ action }) => action.includes("write_keys"));
    expect(ofKeys.map(({ action }) => action.replace("/api/v1/:id/write_keys", ""))).toEqual([
      "DELETE /:key_id",
      "POST /:key_id/roll",
      "PUT /:key_id",
      "POST ",
    ]);
    expect(ofKeys[2]).toMatchObject({
      label: "Shop",
      before: { trust_identify: false },
      after: { trust_identify: true },
    });
    expect(ofKeys[0]).toMatchObject({ label: "Shop", before: { id, kind: "page" } });
    for (const text of [key, rolled, crm.write_key]) expect(body).not.toContain(text);
  });
});
