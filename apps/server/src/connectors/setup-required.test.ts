import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ConnectorApp, smartManifest } from "../testing/connector-app.js";
import { Sender } from "../testing/sender.js";
import { openTestServer, type TestServer } from "../testing/test-server.js";

const MANIFEST = smartManifest({
  name: "Signed in",
  tags: [],
  subscriptions: [],
  settings: [{ name: "color", type: "string", default: "red" }],
  private_settings: [
    { name: "api_key", title: "Key", type: "string", required: true },
    { name: "segments", type: "array", format: "segment", default: ["ALL"] },
    { name: "query", type: "string", required: true },
    { name: "token", type: "string", format: "hidden", required: true },
    { name: "shared", type: "string" },
  ],
  deployment_settings: [{ name: "label", type: "string" }],
  settings_sections: [
    {
      title: "Sign in",
      step: "credentials",
      description: "Where the key comes from",
      properties: ["private_settings.api_key", "private_settings.shared"],
    },
    {
      title: "What to send",
      properties: [
        "private_settings.segments",
        "private_settings.query",
        "private_settings.shared",
        "settings.color",
        "deployment_settings.label",
      ],
    },
  ],
  status: { url: "/status", type: "interval", value: 5, initial_value: "setupRequired" },
});

let muster: TestServer;
let app: ConnectorApp;
let id: string;
let own: Sender;

beforeAll(async () => {
  muster = await openTestServer();
  app = await ConnectorApp.open(MANIFEST);
});
beforeEach(() => install(MANIFEST));
afterAll(async () => {
  await muster.close();
  await app.close();
});

async function install(manifest: object): Promise<void> {
  app.manifest = manifest;
  const installed = await app.install(muster);
  id = installed.id;
  own = new Sender(muster, installed);
}

function operator(method: "GET" | "POST" | "PUT", path: string, payload?: object) {
  const headers = muster.operatorHeaders;
  return muster.app.inject({ method, url: `/api/v1${path}`, headers, ...(payload ? { payload } : {}) });
}

async function setStatus(status: string): Promise<void> {
  expect((await own.call("PUT", "/app/status", { payload: { status, messages: [] } })).statusCode).toBe(200);
}

async function enabledSections(): Promise<[string, boolean][]> {
  const { sections } = (await operator("GET", `/${id}`)).json<{ sections: { title: string; enabled: boolean }[] }>();
  return sections.map(({ title, enabled }) => [title, enabled]);
}

function pathsIn(answer: { json(): { error: { details: { path: string }[] } } }): string[] {
  return answer.json().error.details.map(({ path }) => path);
}

describe("while setup is required", () => {
  test("the record of the connector says that only the section with the credentials is enabled", async () => {
    expect((await operator("GET", `/${id}`)).json().sections).toEqual([
      {
        title: "Sign in",
        description: "Where the key comes from",
        step: "credentials",
        enabled: true,
        properties: ["private_settings.api_key", "private_settings.shared"],
      },
      expect.objectContaining({ title: "What to send", description: null, step: null, enabled: false }),
    ]);
    const seenByOthers = await muster.app.inject({ url: `/api/v1/${id}`, headers: muster.connectorHeaders });
    expect(seenByOthers.json()).not.toHaveProperty("sections");
  });

  test("the operator writes the settings of that section, and no others", async () => {
    const accepted = await operator("PUT", `/${id}`, { private_settings: { api_key: "k", shared: "s", note: 1 } });
    expect([accepted.statusCode, accepted.json().private_settings]).toEqual([
      200,
      { api_key: "k", shared: "s", note: 1, segments: ["ALL"] },
    ]);
    const refused = await operator("PUT", `/${id}`, {
      settings: { color: "blue" },
      private_settings: { api_key: "other", segments: [] },
    });
    expect([refused.statusCode, refused.json().error.code]).toEqual([409, "setup_required"]);
    expect(pathsIn(refused)).toEqual(["body.settings.color", "body.private_settings.segments"]);
    expect((await operator("GET", `/${id}`)).json().private_settings).toMatchObject({ api_key: "k" });
  });

  test("values that do not change are not refused, so that a form can send all of them", async () => {
    const answer = await operator("PUT", `/${id}`, {
      settings: { color: "red" },
      private_settings: { api_key: "k", segments: ["ALL"], query: "" },
    });
    expect(answer.statusCode).toBe(200);
  });

  test("the connector itself writes any of its settings", async () => {
    const answer = await own.call("PUT", "/app", { payload: { private_settings: { token: "t", query: "select 1" } } });
    expect(answer.json()).toMatchObject({ private_settings: { token: "t", query: "select 1" } });
  });

  test("the settings of a deployment are refused too", async () => {
    const platform = (await operator("POST", "/platforms", { name: "Shop", domains: ["shop.example"] })).json();
    const created = await operator("POST", `/${platform.id}/deployments`, { connector_id: id });
    expect(created.statusCode).toBe(201);
    const refused = await operator("PUT", `/${created.json().id}`, { settings: { label: "Buy", _selector: "#a" } });
    expect([refused.statusCode, refused.json().error.code]).toEqual([409, "setup_required"]);
    expect(pathsIn(refused)).toEqual(["body.settings.label"]);
    await setStatus("ok");
    expect((await operator("PUT", `/${created.json().id}`, { settings: { label: "Buy" } })).statusCode).toBe(200);
  });

  test("all sections are enabled once the connector reports another status", async () => {
    await setStatus("ok");
    expect(await enabledSections()).toEqual([
      ["Sign in", true],
      ["What to send", true],
    ]);
    expect((await operator("PUT", `/${id}`, { private_settings: { segments: [] } })).statusCode).toBe(200);
    await setStatus("setupRequired");
    expect((await operator("PUT", `/${id}`, { private_settings: { segments: ["ALL"] } })).statusCode).toBe(409);
  });

  test("all sections are enabled when none of them is for the credentials", async () => {
    await install({
      ...MANIFEST,
      settings_sections: [{ title: "All", step: "incoming", properties: ["private_settings.segments"] }],
    });
    expect(await enabledSections()).toEqual([["All", true]]);
    expect((await operator("PUT", `/${id}`, { private_settings: { segments: [] } })).statusCode).toBe(200);
  });
});

describe("required settings", () => {
  test("are not needed to install a connector, which is enabled at once", async () => {
    expect((await operator("GET", `/${id}`)).json()).toMatchObject({
      enabled: true,
      status: { status: "setupRequired" },
    });
  });

  test("without a value keep a disabled connector from being enabled, and the answer names each", async () => {
    await setStatus("ok");
    await operator("PUT", `/${id}`, { enabled: false });
    const refused = await operator("PUT", `/${id}`, { enabled: true, private_settings: { api_key: "" } });
    expect([refused.statusCode, refused.json().error.code]).toEqual([400, "missing_parameters"]);
    expect(pathsIn(refused)).toEqual(["body.private_settings.api_key", "body.private_settings.query"]);
    expect((await operator("GET", `/${id}`)).json()).toMatchObject({ enabled: false });
    const values = { api_key: "k", query: "q" };
    const enabled = await operator("PUT", `/${id}`, { enabled: true, private_settings: values });
    expect([enabled.statusCode, enabled.json().enabled]).toEqual([200, true]);
  });

  test("of sections that are not enabled are not needed: nobody could give them", async () => {
    await operator("PUT", `/${id}`, { enabled: false });
    expect(pathsIn(await operator("PUT", `/${id}`, { enabled: true }))).toEqual(["body.private_settings.api_key"]);
    const enabled = await operator("PUT", `/${id}`, { enabled: true, private_settings: { api_key: "k" } });
    expect(enabled.statusCode).toBe(200);
  });

  test("are not asked for when an enabled connector stays enabled", async () => {
    expect((await operator("PUT", `/${id}`, { enabled: true })).statusCode).toBe(200);
  });
});

test("the record says whether the connector accepts webhooks: not while it is disabled", async () => {
  const acceptance = async () => (await operator("GET", `/${id}`)).json().accept_incoming_webhooks;
  expect(await acceptance()).toBe(true);
  await operator("PUT", `/${id}`, { enabled: false, private_settings: { api_key: "k" } });
  expect(await acceptance()).toBe(false);
  const refused = await own.post([own.traits({ user: { email: "ann@example.com" } }, { plan: "pro" })]);
  expect([refused.statusCode, refused.json().error.code]).toEqual([403, "connector_disabled"]);
  await operator("PUT", `/${id}`, { enabled: true });
  expect(await acceptance()).toBe(true);
});
