import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { ConnectorApp, smartManifest } from "../../../testing/connector-app.js";
import { openTestServer, type TestServer } from "../../../testing/test-server.js";

let muster: TestServer;
let app: ConnectorApp;
let connectorId: string;

beforeAll(async () => {
  muster = await openTestServer();
  app = await ConnectorApp.open(
    smartManifest({
      name: "Banner",
      tags: ["client"],
      index: "/banner.js",
      settings: [{ name: "text", type: "string", default: "Hello" }],
      private_settings: [{ name: "api_key", type: "string", default: "very secret" }],
      deployment_settings: [{ name: "color", type: "string", enum: ["red", "blue"], default: "red" }],
    }),
  );
  connectorId = (await app.install(muster)).id;
});
afterAll(async () => {
  await muster.close();
  await app.close();
});

function operator(method: "GET" | "POST" | "PUT" | "DELETE", path: string, payload?: object) {
  const headers = muster.operatorHeaders;
  return muster.app.inject({ method, url: `/api/v1${path}`, headers, ...(payload ? { payload } : {}) });
}

async function platform(): Promise<string> {
  const created = await operator("POST", "/platforms", { name: "Site", domains: ["*.example.com"] });
  expect(created.statusCode).toBe(201);
  return created.json<{ id: string }>().id;
}

test("a platform is created, read, changed and removed", async () => {
  const id = await platform();
  expect((await operator("GET", `/${id}`)).json()).toMatchObject({
    id,
    type: "platform",
    name: "Site",
    domains: ["*.example.com"],
    settings: {},
  });
  const changed = await operator("PUT", `/${id}`, { domains: ["shop.example.com"], settings: { a: 1 } });
  expect(changed.json()).toMatchObject({ name: "Site", domains: ["shop.example.com"], settings: { a: 1 } });
  expect((await operator("PUT", `/${id}`, { domains: "all" })).statusCode).toBe(400);
  expect((await operator("GET", "/platforms")).json()).toContainEqual(expect.objectContaining({ id }));
  expect((await operator("DELETE", `/${id}`)).statusCode).toBe(200);
  expect((await operator("GET", `/${id}`)).statusCode).toBe(404);
});

test.each([
  "https://shop.example.com",
  "shop.example.com/cart",
  "*",
  "shop.*.com",
  "*.example.com:8080",
  "two words",
  "",
])("a platform cannot have the domain %j, which no page has", async (domain) => {
  const id = await platform();
  const created = await operator("POST", "/platforms", { name: "Site", domains: ["example.com", domain] });
  const changed = await operator("PUT", `/${id}`, { domains: [domain] });
  expect([created.statusCode, changed.statusCode]).toEqual([400, 400]);
  expect(changed.json().message).toContain(`"${domain}" is no host`);
});

test.each(["localhost", "localhost:8081", "*.example.com", "127.0.0.1", "[::1]:8081", "XN--BCHER-KVA.example"])(
  "a platform can have the domain %s",
  async (domain) => {
    const created = await operator("POST", "/platforms", { name: "Site", domains: [domain] });
    expect([created.statusCode, created.json().domains]).toEqual([201, [domain]]);
  },
);

test("a deployment starts with its defaults, and anybody can read the public part of its connector", async () => {
  const id = await platform();
  const created = await operator("POST", `/${id}/deployments`, {
    connector_id: connectorId,
    settings: { _selector: "#banner" },
  });
  expect([created.statusCode, created.json()]).toMatchObject([
    201,
    { settings: { _multi: false, _placement: "bottom", _selector: "#banner", color: "red" } },
  ]);
  const anonymous = await muster.app.inject({ url: `/api/v1/${id}/deployments` });
  expect(anonymous.json()).toMatchObject([
    {
      id: created.json().id,
      ship: {
        id: connectorId,
        name: "Banner",
        settings: { text: "Hello" },
        index: `${app.url}/banner.js`,
        manifest_url: `${app.url}/manifest.json`,
      },
      platform: { id, name: "Site" },
      organization: { namespace: "default" },
    },
  ]);
  expect(anonymous.body).not.toContain("secret");
  expect(anonymous.body).not.toContain("private_settings");
});

test("a script on another host than its connector keeps its address", async () => {
  const index = "https://cdn.example.com/banner/dist/ship.js";
  const elsewhere = await ConnectorApp.open(smartManifest({ name: "Hosted", tags: ["client"], index }));
  onTestFinished(() => elsewhere.close());
  const { id: hosted } = await elsewhere.install(muster);
  const id = await platform();
  const created = await operator("POST", `/${id}/deployments`, { connector_id: hosted });
  expect([created.statusCode, created.json().ship]).toMatchObject([201, { index }]);
});

test("settings of a deployment are checked against what the connector declares", async () => {
  const id = await platform();
  const refused = await operator("POST", `/${id}/deployments`, {
    connector_id: connectorId,
    settings: { color: "green", _placement: "everywhere" },
  });
  expect(refused.statusCode).toBe(400);
  const paths = refused.json<{ error: { details: { path: string }[] } }>().error.details.map(({ path }) => path);
  expect(paths).toEqual(["body.settings._placement", "body.settings.color"]);
  const created = await operator("POST", `/${id}/deployments`, { connector_id: connectorId });
  const deployment = created.json<{ id: string }>().id;
  expect((await operator("PUT", `/${deployment}`, { settings: { color: "blue" } })).json()).toMatchObject({
    settings: { color: "blue", _placement: "bottom" },
  });
  expect((await operator("PUT", `/${deployment}`, { settings: { color: 7 } })).statusCode).toBe(400);
  expect((await operator("DELETE", `/${deployment}`)).statusCode).toBe(200);
  expect((await muster.app.inject({ url: `/api/v1/${id}/deployments` })).json()).toEqual([]);
});

test("the deployment of a disabled connector is not listed", async () => {
  const id = await platform();
  await operator("POST", `/${id}/deployments`, { connector_id: connectorId });
  await operator("PUT", `/${connectorId}`, { enabled: false });
  expect((await muster.app.inject({ url: `/api/v1/${id}/deployments` })).json()).toEqual([]);
  await operator("PUT", `/${connectorId}`, { enabled: true });
});

test("a page knows the services of its organization by their public settings, and nothing private", async () => {
  const id = await platform();
  const page = await muster.app.inject({ url: `/api/v1/${id}/page` });
  expect(page.json().services).toEqual({ settings: { banner: { text: "Hello" } }, types: expect.any(Object) });
  expect(page.json().services.types.client).toEqual(["banner"]);
  expect(page.body).not.toContain("very secret");
});

test("only the operator creates and changes platforms; connectors can read them", async () => {
  const id = await platform();
  const asConnector = { headers: muster.connectorHeaders };
  expect((await muster.app.inject({ ...asConnector, url: `/api/v1/${id}` })).statusCode).toBe(200);
  const payload = { name: "Mine" };
  const post = { ...asConnector, method: "POST", url: "/api/v1/platforms", payload } as const;
  expect((await muster.app.inject(post)).statusCode).toBe(403);
  const put = { ...asConnector, method: "PUT", url: `/api/v1/${id}`, payload } as const;
  expect((await muster.app.inject(put)).statusCode).toBe(403);
});

test("the list says when the last record came from a page of a platform", async () => {
  const id = await platform();
  const lastRecord = async () => {
    const listed = (await operator("GET", "/platforms")).json<{ id: string; last_record_at: string | null }[]>();
    return listed.find((each) => each.id === id)?.last_record_at;
  };
  expect(await lastRecord()).toBe(null);
  const answer = await muster.app.inject({
    method: "POST",
    url: `/api/v1/${id}/records`,
    headers: { origin: "https://shop.example.com" },
    payload: {
      bid: "browser",
      sid: "visit",
      sentAt: Date.now(),
      batch: [{ id: "1", type: "track", timestamp: Date.now(), body: { event: "Page viewed" } }],
    },
  });
  expect([answer.statusCode, answer.body]).toEqual([200, expect.any(String)]);
  expect(Date.parse((await lastRecord()) ?? "")).toBeGreaterThan(Date.now() - 60_000);
  // The form for web pages does not tell it.
  expect((await muster.app.inject({ url: `/api/v1/${id}/page` })).body).not.toContain("last_record_at");
});
