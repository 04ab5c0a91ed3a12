import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ConnectorApp, smartManifest } from "../testing/connector-app.js";
import { Sender } from "../testing/sender.js";
import { signInAs } from "../testing/signed-in.js";
import { openTestServer, type TestServer } from "../testing/test-server.js";

const MANIFEST = smartManifest({
  name: "Configurable",
  tags: [],
  subscriptions: [],
  settings: [{ name: "color", type: "string", default: "red" }],
  private_settings: [
    { name: "every", type: "number", default: 30 },
    { name: "oauth", type: "string", format: "oauth", url: "/auth", title: "Sign in" },
    { name: "sync", type: "string", format: "button", url: "/press", default: { format: "button", url: "/default" } },
    {
      name: "mapping",
      type: "array",
      format: "table",
      items: {
        type: "object",
        properties: { field: { type: "string", format: "select", options: { loadOptions: "/fields" } } },
      },
    },
  ],
  admin: "/auth/",
  tabs: [{ title: "Work", url: "/work?view=1", size: "large", editable: true, workspace: true }],
  html: [{ url: "/home", title: "Home" }],
  json: [
    { url: "/run", handler: "run" },
    { url: "/look", handler: "look", options: { reads: true } },
  ],
});

let muster: TestServer;
let app: ConnectorApp;
let id: string;
let secret: string;
let organization: string;

beforeAll(async () => {
  muster = await openTestServer();
  app = await ConnectorApp.open(MANIFEST);
  ({ id, secret, organization } = await app.install(muster));
});
afterAll(async () => {
  await muster.close();
  await app.close();
});

function operator(method: "GET" | "POST" | "PUT" | "DELETE", path: string, payload?: object) {
  const headers = muster.operatorHeaders;
  return muster.app.inject({ method, url: `/api/v1${path}`, headers, ...(payload ? { payload } : {}) });
}

test("the audit log names the connector that was called, and does not list previews", async () => {
  const calls = async () => {
    const entries = (await operator("GET", "/audit?per_page=1000")).json<{ action: string; label: string | null }[]>();
    return entries.filter(({ action }) => action === "POST /api/v1/:id/call").map(({ label }) => label);
  };
  const before = (await calls()).length;
  for (const path of ["/look", "/run", "/look"]) await operator("POST", `/${id}/call`, { path });
  expect((await calls()).slice(0, -before || undefined)).toEqual(["Configurable"]);
});

test("people give a connector another name, which the connector itself cannot change", async () => {
  const named = async () => (await operator("GET", `/${id}`)).json().name;
  expect((await operator("PUT", `/${id}`, { name: "  Mail for Bern " })).json().name).toBe("Mail for Bern");
  const headers = { "svc-organization": organization, "svc-app-id": id, "svc-access-token": secret };
  const own = { method: "PUT", url: `/api/v1/${id}`, headers, payload: { name: "Mine" } } as const;
  expect((await muster.app.inject(own)).statusCode).toBe(200);
  expect(await named()).toBe("Mail for Bern");
  expect((await operator("PUT", `/${id}`, { name: " " })).statusCode).toBe(400);
  expect((await operator("POST", `/${id}/refresh`)).statusCode).toBe(200);
  expect(await named()).toBe("Mail for Bern");
  await operator("PUT", `/${id}`, { name: "Configurable" });
});

describe("settings", () => {
  test("settings that the operator gives are checked, and the answer names all problems", async () => {
    const refused = await operator("PUT", `/${id}`, { settings: { color: 5 }, private_settings: { every: "often" } });
    expect(refused.statusCode).toBe(400);
    expect(refused.json().error.details).toEqual([
      { path: "body.settings.color", message: "must be string" },
      { path: "body.private_settings.every", message: "must be number" },
    ]);
    expect((await operator("GET", `/${id}`)).json()).toMatchObject({ settings: { color: "red" } });
  });

  test("a connector may write any value into its own settings, and keys that it does not declare are kept", async () => {
    const own = new Sender(muster, { id, secret });
    const payload = { private_settings: { every: "often", last_sync: { at: 5 } } };
    const updated = await own.call("PUT", "/app", { payload });
    expect(updated.json()).toMatchObject({ private_settings: { every: "often", last_sync: { at: 5 } } });
    const merged = await operator("PUT", `/${id}`, { private_settings: { every: 10 } });
    expect(merged.json()).toMatchObject({ private_settings: { every: 10, last_sync: { at: 5 } } });
  });

  test("a connector cannot fill the memory of the server with its settings, and can make them smaller", async () => {
    const large = await app.install(muster);
    const own = new Sender(muster, large);
    const put = async (group: string, values: object) =>
      (await own.call("PUT", "/app", { payload: { [group]: values } })).statusCode;
    for (const group of ["settings", "private_settings"]) {
      expect(await put(group, { first: "x".repeat(400_000) })).toBe(200);
      const refused = await own.call("PUT", "/app", { payload: { [group]: { second: "é".repeat(100_000) } } });
      expect([refused.statusCode, refused.json().error.details]).toEqual([
        400,
        [{ path: `body.${group}`, message: expect.stringContaining("at most 524288 bytes") }],
      ]);
      expect(await put(group, { second: "short" })).toBe(200);
    }
    // Settings from before there was a limit.
    await muster.database.query(
      `update connectors set settings = jsonb_build_object('old', repeat('x', 600000)) where id = $1`,
      [large.id],
    );
    const changed = [await put("settings", { more: 1 }), await put("settings", { old: "x".repeat(590_000) })];
    expect(changed).toEqual([400, 200]);
    await operator("DELETE", `/${large.id}`);
  });

  test("private settings are not shown to other connectors, and are sealed in the database", async () => {
    await operator("PUT", `/${id}`, { private_settings: { token: "fingerprint-of-a-secret" } });
    const seen = await muster.app.inject({ url: `/api/v1/${id}`, headers: muster.connectorHeaders });
    expect(seen.body).not.toContain("fingerprint-of-a-secret");
    expect(seen.json()).not.toHaveProperty("private_settings");
    const { rows } = await muster.database.query<{ row: string }>("select c::text as row from connectors c");
    expect(rows.map(({ row }) => row).join()).not.toContain("fingerprint-of-a-secret");
  });

  test("a user's token reads the declared settings of the connector that signed it, and no others", async () => {
    const own = new Sender(muster, { id, secret });
    await own.call("PUT", "/app", { payload: { settings: { cursor: "undeclared" } } });
    const color = expect.any(String);
    expect((await own.call("GET", "/app/settings")).json()).toEqual({ color, cursor: "undeclared" });
    for (const who of [{ user: { email: "ann@example.com" } }, { account: { external_id: "acme" } }]) {
      expect((await own.callAs(who, "GET", "/app/settings")).json()).toEqual({ color });
    }
  });

  test("only the operator disables a connector", async () => {
    const own = new Sender(muster, { id, secret });
    expect((await own.call("PUT", "/app", { payload: { enabled: false } })).statusCode).toBe(403);
    expect((await operator("PUT", `/${id}`, { enabled: "no" })).statusCode).toBe(400);
    expect((await operator("PUT", `/${id}`, { when_disabled: "explode" })).statusCode).toBe(400);
  });
});

describe("pages", () => {
  test("the addresses of pages contain the credentials", async () => {
    const pages = (await operator("GET", `/${id}/pages`)).json<{ kind: string; url: string }[]>();
    expect(pages).toMatchObject([
      { kind: "tab", title: "Work", size: "large", editable: true, workspace: true, setup: false },
      { kind: "html", title: "Home", size: null },
      { kind: "admin", title: null },
      { kind: "oauth", title: "Sign in", setup: true },
    ]);
    for (const { url } of pages) {
      const { origin, searchParams } = new URL(url);
      expect(origin).toBe(app.url);
      expect(Object.fromEntries(searchParams)).toMatchObject({ id, secret, organization, ship: id });
    }
    expect(new URL(pages[0]!.url).searchParams.get("view")).toBe("1");
  });

  test("pages are not shown to other connectors", async () => {
    const headers = muster.connectorHeaders;
    expect((await muster.app.inject({ url: `/api/v1/${id}/pages`, headers })).statusCode).toBe(403);
  });
});

describe("endpoints that the manifest declares", () => {
  test("they are called for the dashboard, and their answers are passed on unchanged", async () => {
    app.respond = ({ path }) => (path === "/fields" ? { options: [{ value: "a", label: "A" }] } : { ran: true });
    const options = await operator("POST", `/${id}/call`, { path: "/fields" });
    expect([options.statusCode, options.json()]).toEqual([200, { options: [{ value: "a", label: "A" }] }]);
    const ran = await operator("POST", `/${id}/call`, { path: "/run", body: { dry: true } });
    expect(ran.json()).toEqual({ ran: true });
    expect(app.calls.at(-1)).toMatchObject({ method: "POST", body: { dry: true, connector: { id } } });
    expect(app.calls.at(-1)?.query.get("secret")).toBe(secret);
  });

  test("nobody replaces the record or the segments that the connector gets", async () => {
    app.respond = () => ({});
    const body = { connector: { id: "other" }, segments: "none", accounts_segments: "none", kept: 1 };
    expect((await operator("POST", `/${id}/call`, { path: "/run", body })).statusCode).toBe(200);
    expect(app.calls.at(-1)?.body).toMatchObject({
      connector: { id, private_settings: {} },
      segments: [],
      accounts_segments: [],
      kept: 1,
    });
  });

  test.each([
    ["a button", { path: "/press" }, 200, 200],
    ["a button with nothing", { path: "/press", body: {} }, 200, 200],
    ["a button with content of their own", { path: "/press", body: { query: "select 1" } }, 403, 200],
    ["a JSON endpoint", { path: "/run" }, 403, 200],
    ["a JSON endpoint that only reads", { path: "/look", body: { query: "select 1" } }, 403, 200],
    ["the options of a setting", { path: "/fields" }, 403, 200],
    ["a page that signs in", { path: "/auth" }, 403, 200],
    ["what looks like a button in a default", { path: "/default" }, 403, 404],
  ])(
    "an editor calls buttons as they are and nothing else, an owner calls all: %s",
    async (_, payload, editor, owner) => {
      app.respond = () => ({});
      const statusFor = async (role: "viewer" | "editor" | "owner") => {
        const { headers } = await signInAs(muster, role, { email: `${role}-${randomUUID()}@example.com` });
        return (await muster.app.inject({ method: "POST", url: `/api/v1/${id}/call`, headers, payload })).statusCode;
      };
      const before = app.calls.length;
      expect([await statusFor("viewer"), await statusFor("editor")]).toEqual([403, editor]);
      expect(app.calls.length - before).toBe(editor === 200 ? 1 : 0);
      expect(await statusFor("owner")).toBe(owner);
    },
  );

  test("an endpoint that answers only GET is called with GET, and a refusal of both methods is passed on", async () => {
    app.respond = ({ method, path }, response) => {
      if (path === "/fields" && method === "GET") return { options: [] };
      return response.writeHead(404, { "content-type": "application/json" }).end(`{"no":"${method}"}`) && undefined;
    };
    const options = await operator("POST", `/${id}/call`, { path: "/fields" });
    expect([options.statusCode, options.json()]).toEqual([200, { options: [] }]);
    expect(app.calls.at(-1)).toMatchObject({ method: "GET", path: "/fields", text: "" });
    expect(app.calls.at(-1)?.query.get("secret")).toBe(secret);
    const ran = await operator("POST", `/${id}/call`, { path: "/run" });
    expect([ran.statusCode, ran.json()]).toEqual([404, { no: "POST" }]);
    app.respond = () => ({});
  });

  test("an editor sees no secret in an answer, and an owner sees it as it is", async () => {
    const key = 'a "private" key';
    await operator("PUT", `/${id}`, { private_settings: { token: key } });
    app.respond = (call) => ({ ...call.body, called: call.query.get("secret") });
    const seenBy = async (role: "editor" | "owner") => {
      const { headers } = await signInAs(muster, role, { email: `${role}-${randomUUID()}@example.com` });
      const payload = { path: "/press" };
      const answer = await muster.app.inject({ method: "POST", url: `/api/v1/${id}/call`, headers, payload });
      const { called, connector } = answer.json();
      return [called, connector.secret, connector.private_settings.token];
    };
    expect(await seenBy("editor")).toEqual(["[private]", "[private]", "[private]"]);
    expect(await seenBy("owner")).toEqual([secret, secret, key]);
  });

  test("no other endpoint is called", async () => {
    const before = app.calls.length;
    for (const path of ["/admin", "/work", "//evil.example/run", "http://evil.example/"]) {
      expect((await operator("POST", `/${id}/call`, { path })).statusCode).toBe(404);
    }
    expect(app.calls).toHaveLength(before);
  });

  test("the answer is a 503 when the endpoint does not answer", async () => {
    app.respond = (_call, response) => response.destroy() && undefined;
    expect((await operator("POST", `/${id}/call`, { path: "/run" })).statusCode).toBe(503);
    app.respond = () => ({});
  });
});

describe("reading a manifest again", () => {
  test("settings keep their values, and new ones get their defaults", async () => {
    await operator("PUT", `/${id}`, { settings: { color: "green" } });
    app.manifest = {
      ...MANIFEST,
      version: "2.0.0",
      settings: [
        { name: "color", type: "string", default: "blue" },
        { name: "size", type: "number", default: 3 },
      ],
    };
    const refreshed = (await operator("POST", `/${id}/refresh`)).json();
    expect(refreshed).toMatchObject({
      connector: { manifest: { version: "2.0.0" }, settings: { color: "green", size: 3 } },
      problems: [],
    });
  });

  test("it is refused for a connector without a manifest", async () => {
    expect((await operator("POST", `/${muster.first.connector.id}/refresh`)).statusCode).toBe(409);
  });
});

describe("the catalogue", () => {
  test("it lists the manifests that were installed or added, and adding one lists its problems", async () => {
    const other = await ConnectorApp.open({ name: "Odd one", picture: "logo.png", settings: [{ name: "x" }] });
    const added = await operator("POST", "/catalogue", { url: other.url });
    expect(added.statusCode).toBe(201);
    expect(added.json().problems).toContainEqual(expect.objectContaining({ severity: "error" }));
    const seen = async () =>
      (await operator("GET", "/catalogue")).json().filter(({ bundled }: { bundled: boolean }) => !bundled);
    expect(await seen()).toMatchObject([
      { name: "Configurable", source_url: app.url },
      { name: "Odd one", picture: `${other.url}/logo.png`, version: null },
    ]);
    const manifestUrl = encodeURIComponent(`${other.url}/manifest.json`);
    expect((await operator("DELETE", `/catalogue?manifest_url=${manifestUrl}`)).statusCode).toBe(200);
    expect(await seen()).toHaveLength(1);
    await other.close();
  });
});

test("several instances of one connector have settings of their own", async () => {
  const second = await app.install(muster);
  await operator("PUT", `/${second.id}`, { settings: { color: "purple" } });
  expect((await operator("GET", `/${second.id}`)).json()).toMatchObject({ settings: { color: "purple" } });
  expect((await operator("GET", `/${id}`)).json()).toMatchObject({ settings: { color: "green" } });
  expect((await operator("DELETE", `/${second.id}`)).statusCode).toBe(200);
  expect((await operator("GET", `/${second.id}`)).statusCode).toBe(404);
});
