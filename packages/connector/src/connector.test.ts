import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Manifest } from "@muster/protocol";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Connector } from "./connector.js";
import type { ConnectorOptions } from "./connector-options.js";
import { TransientError } from "./errors/transient-error.js";
import type { ConnectorHandlers } from "./handlers/connector-handlers.js";
import { reply, view } from "./handlers/reply.js";
import type { EndpointHandler, HandlerOptions } from "./handlers/request-handler.js";
import {
  callConnector,
  type FakePlatform,
  type RunningConnector,
  runConnector,
  startFakePlatform,
  userMessage,
} from "./testing/index.js";

const MANIFEST: Manifest = { name: "My Test Connector", version: "1.2.3", settings_sections: [] };

let platform: FakePlatform;
let directory: string;
let running: RunningConnector | undefined;
beforeEach(async () => {
  platform = await startFakePlatform();
  directory = await mkdtemp(join(tmpdir(), "connector-"));
});
afterEach(async () => {
  await running?.close();
  await platform.close();
  await rm(directory, { recursive: true });
});

async function start(options: ConnectorOptions): Promise<string> {
  const connector = new Connector({
    manifest: MANIFEST,
    directory,
    port: 0,
    clientConfig: { onLog: () => {} },
    ...options,
  });
  running = await runConnector(connector);
  return running.url;
}

function startWith(declared: Partial<Manifest>, handlers: ConnectorHandlers, options: ConnectorOptions = {}) {
  return start({ manifest: { ...MANIFEST, ...declared }, handlers, ...options });
}

/** A connector with one incoming endpoint. */
function startIncoming(options: HandlerOptions, handle: EndpointHandler = () => ({ done: 1 })) {
  return startWith({ incoming: [{ url: "/in", handler: "take", options }] }, { incoming: { take: handle } });
}

describe("what everybody may read", () => {
  it("is the manifest, the readme, and the files in dist and assets", async () => {
    await writeFile(join(directory, "README.md"), "# Hello");
    for (const folder of ["dist", "assets"]) {
      await mkdir(join(directory, folder));
      await writeFile(join(directory, folder, `${folder}.js`), `${folder}()`);
    }
    const url = await start({});
    expect(await callConnector(`${url}/manifest.json`)).toMatchObject({ status: 200, body: MANIFEST });
    expect(await callConnector(`${url}/readme`)).toMatchObject({ status: 200, text: "# Hello" });
    const root = await callConnector(`${url}/`);
    expect([root.status, root.headers.get("location")]).toEqual([302, "readme"]);
    expect(await callConnector(`${url}/dist/dist.js`)).toMatchObject({ status: 200, text: "dist()" });
    expect(await callConnector(`${url}/assets/assets.js`)).toMatchObject({ status: 200, text: "assets()" });
    expect(await callConnector(`${url}/dist.js`)).toMatchObject({ status: 200, text: "dist()" });
    expect((await callConnector(`${url}/README.md/../../etc/passwd`)).status).toBe(404);
    expect((await callConnector(`${url}/dist/`)).status).toBe(404);
  });

  it("is read from manifest.json when no manifest is given, and its absence is said", async () => {
    const file = join(directory, "manifest.json");
    expect(() => new Connector({ directory })).toThrow(`The manifest ${file} cannot be read`);
    await writeFile(file, JSON.stringify({ ...MANIFEST, name: "From a file" }));
    running = await runConnector(new Connector({ directory, port: 0 }));
    expect(await callConnector(`${running.url}/manifest.json`)).toMatchObject({ body: { name: "From a file" } });
  });
});

describe("pages in views", () => {
  it("are rendered for whoever has credentials, with what they are escaped", async () => {
    await mkdir(join(directory, "views"));
    await writeFile(join(directory, "views", "admin.html"), "<b><%= connector.private_settings.name %></b>");
    platform.connector.private_settings.name = "<Ada>";
    const url = await start({});
    expect(await platform.call(`${url}/views/admin.html`)).toMatchObject({ status: 200, text: "<b>&lt;Ada&gt;</b>" });
    expect((await callConnector(`${url}/views/admin.html`)).status).toBe(401);
    expect((await platform.call(`${url}/views/..%2f..%2fsecret.html`)).status).toBeGreaterThanOrEqual(400);
  });

  it("are what html handlers answer with", async () => {
    await mkdir(join(directory, "views"));
    await writeFile(
      join(directory, "views", "list.html"),
      "<% for (const item of items) { %><i><%= item %></i><% } %>",
    );
    const url = await startWith(
      {
        html: [
          { url: "/list", handler: "list" },
          { url: "/text", handler: "text" },
        ],
      },
      { html: { list: () => view("list.html", { items: [1, 2] }), text: () => "<p>hi</p>" } },
    );
    const page = await platform.call(`${url}/list`);
    expect(page).toMatchObject({ status: 200, text: "<i>1</i><i>2</i>" });
    expect(page.headers.get("content-type")).toContain("text/html");
    expect((await platform.call(`${url}/text`)).text).toBe("<p>hi</p>");
  });
});

describe("handlers that the manifest names", () => {
  it("are wired by name, every section of them", async () => {
    const handled: string[] = [];
    const note = (what: string) => () => void handled.push(what);
    const url = await startWith(
      {
        json: [{ url: "/json", handler: "lists" }],
        incoming: [{ url: "/in", handler: "hook" }],
        html: [{ url: "/page", handler: "page" }],
        schedules: [{ url: "/sync", handler: "sync", type: "interval", value: 5 }],
        status: { url: "/status", handler: "status", type: "interval", value: 5 },
        subscriptions: [{ url: "/smart-notifier", channels: [{ channel: "user:update", handler: "userUpdate" }] }],
        tags: ["batch"],
      },
      {
        json: { lists: () => ({ options: [{ value: "1", label: "One" }] }) },
        incoming: { hook: note("hook") },
        html: { page: () => "page" },
        schedules: { sync: note("sync") },
        statuses: { status: () => ({ status: "warning", messages: ["Not yet."] }) },
        subscriptions: { userUpdate: note("userUpdate"), "user:update": note("batch") },
      },
    );
    expect((await platform.call(`${url}/json`)).body).toEqual({ options: [{ value: "1", label: "One" }] });
    expect((await platform.call(`${url}/in`, { body: {} })).body).toEqual({ ok: true });
    expect((await platform.call(`${url}/page`)).text).toBe("page");
    await platform.call(`${url}/sync`, { body: {} });
    expect((await platform.call(`${url}/status`, { body: {} })).body).toEqual({
      status: "warning",
      messages: ["Not yet."],
    });
    await platform.notify(`${url}/smart-notifier`, { channel: "user:update", messages: [userMessage()] });
    await platform.call(`${url}/batch`, { body: { url: platform.serve('{"id":"u1"}'), format: "json" } });
    await vi.waitFor(() => expect(handled).toEqual(["hook", "sync", "userUpdate", "batch"]));
  });

  it("must all be there, and those missing are named", () => {
    const manifest = {
      ...MANIFEST,
      json: [{ url: "/json", handler: "lists" }],
      subscriptions: [{ url: "/notify", channels: [{ channel: "user:update", handler: "userUpdate" }] }],
    };
    return expect(runConnector(new Connector({ manifest, directory, port: 0 }))).rejects.toThrow(
      "The manifest names handlers that were not given: json: lists, subscriptions: userUpdate.",
    );
  });

  it("take their options from the manifest", async () => {
    const sizes: number[] = [];
    const channels = [{ channel: "user:update", handler: "userUpdate", options: { maxSize: 1 } }];
    const url = await startWith(
      { subscriptions: [{ url: "/notify", channels }] },
      { subscriptions: { userUpdate: (_ctx, messages: unknown[]) => void sizes.push(messages.length) } },
    );
    await platform.notify(`${url}/notify`, { channel: "user:update", messages: [userMessage(), userMessage()] });
    expect(sizes).toEqual([1, 1]);
  });
});

describe("a request", () => {
  it("reaches its handler without the credentials, in the form it was sent", async () => {
    const url = await startIncoming({}, (_ctx, request) => request);
    const answer = await platform.call(`${url}/in?list=7`, { method: "PUT", body: { a: 1 } });
    expect(answer.body).toMatchObject({ method: "PUT", path: "/in", query: { list: "7" }, body: { a: 1 } });
    expect(answer.text).not.toContain(`"secret"`);
    const form = { headers: { "content-type": "application/x-www-form-urlencoded" }, body: "a[b]=1" };
    expect((await platform.call(`${url}/in`, form)).body).toMatchObject({ body: { a: { b: "1" } } });
  });

  it("is read as the option bodyParser says, whatever its content type", async () => {
    const echo: EndpointHandler = (_ctx, { body }) => body;
    const url = await startWith(
      {
        incoming: [
          { url: "/json", handler: "echo", options: { bodyParser: "json" } },
          { url: "/form", handler: "echo", options: { bodyParser: "urlencoded" } },
        ],
      },
      { incoming: { echo } },
    );
    const headers = { "content-type": "text/plain" };
    expect((await platform.call(`${url}/json`, { headers, body: '{"a":1}' })).body).toEqual({ a: 1 });
    expect((await platform.call(`${url}/form`, { headers, body: "a=1" })).body).toEqual({ a: "1" });
    expect((await platform.call(`${url}/json`, { headers, body: "{" })).status).toBe(400);
  });

  it("is refused without credentials, with wrong ones, and with those of nobody", async () => {
    const handle = vi.fn();
    const url = await startIncoming({}, handle);
    const { credentials } = platform;
    const wrong = [
      {},
      { ...credentials, secret: "no" },
      { ...credentials, id: "0198c2a4f1d002ffffffffff" },
      { ...credentials, id: "x" },
    ];
    for (const query of wrong) {
      expect((await callConnector(`${url}/in`, { query, body: {} })).status).toBe(401);
    }
    expect(handle).not.toHaveBeenCalled();
  });

  it("finds nothing in the query when credentialsFromQuery is false", async () => {
    const url = await startIncoming({ credentialsFromQuery: false });
    expect(await platform.call(`${url}/in`, { body: {} })).toMatchObject({
      status: 401,
      body: { code: "missing_credentials" },
    });
  });

  it("finds credentials in a signed body when credentialsFromNotification is true", async () => {
    const url = await startIncoming(
      { credentialsFromNotification: true, credentialsFromQuery: false },
      (ctx, { body }) => ({
        id: ctx.client.configuration().id,
        body,
      }),
    );
    const answer = await platform.notify(`${url}/in`, { channel: "custom", messages: [] });
    expect(answer.body).toMatchObject({ id: platform.credentials.id, body: { channel: "custom" } });
    expect((await callConnector(`${url}/in`, { body: { configuration: platform.credentials } })).status).toBe(401);
  });

  it("is dropped when the connector is disabled and dropIfConnectorDisabled is true", async () => {
    const handle = vi.fn();
    platform.connector.enabled = false;
    const url = await startIncoming({ dropIfConnectorDisabled: true }, handle);
    expect(await platform.call(`${url}/in`, { body: {} })).toMatchObject({
      status: 200,
      body: { dropped: expect.any(String) },
    });
    expect(handle).not.toHaveBeenCalled();
  });

  it("is answered at once and handled afterwards when fireAndForget is true", async () => {
    const { promise, resolve } = gate();
    const done = vi.fn();
    const url = await startIncoming({ fireAndForget: true }, async () => {
      await promise;
      done();
    });
    expect(await platform.call(`${url}/in`, { body: {} })).toMatchObject({ status: 200, body: { ok: true } });
    expect(done).not.toHaveBeenCalled();
    resolve();
    await vi.waitFor(() => expect(done).toHaveBeenCalledOnce());
  });

  it("may be answered with a status and headers of its own", async () => {
    const url = await startIncoming({}, () => reply(202, { queued: true }, { "x-queue": "a" }));
    const answer = await platform.call(`${url}/in`, { body: {} });
    expect([answer.status, answer.body, answer.headers.get("x-queue")]).toEqual([202, { queued: true }, "a"]);
  });

  it("may be answered as a page when format says so", async () => {
    const url = await startIncoming({ format: "html" }, () => "<p>Thanks</p>");
    const answer = await platform.call(`${url}/in`, { body: {} });
    expect([answer.text, answer.headers.get("content-type")]).toEqual(["<p>Thanks</p>", "text/html; charset=utf-8"]);
  });

  it("that takes too long is answered as a transient error", async () => {
    const { promise, resolve } = gate();
    const url = await startWith(
      { incoming: [{ url: "/in", handler: "take" }] },
      { incoming: { take: () => promise } },
      { timeout: "50ms" },
    );
    expect((await platform.call(`${url}/in`, { body: {} })).status).toBe(503);
    resolve();
  });
});

describe("an error of a handler", () => {
  const fail = () => Promise.reject(new Error("The password is 1234."));

  it("is told in general words only", async () => {
    const url = await startIncoming({}, fail);
    expect(await platform.call(`${url}/in`, { body: {} })).toMatchObject({
      status: 500,
      body: { error: "unhandled-error" },
    });
  });

  it("is told as it is when respondWithError is true", async () => {
    const url = await startIncoming({ respondWithError: true }, fail);
    expect(await platform.call(`${url}/in`, { body: {} })).toMatchObject({
      status: 500,
      body: { error: "The password is 1234." },
    });
  });

  it("that is transient asks to try again", async () => {
    const url = await startIncoming({}, () => Promise.reject(new TransientError("Down.")));
    expect(await platform.call(`${url}/in`, { body: {} })).toMatchObject({
      status: 503,
      body: { error: "transient-error", code: "ERR_TRANSIENT" },
    });
  });

  it("goes to the application's own error handler when disableErrorHandling is true", async () => {
    const connector = new Connector({ manifest: MANIFEST, directory, port: 0, clientConfig: { onLog: () => {} } });
    running = await runConnector(connector, (app) => {
      app.post("/in", ...connector.incomingHandler(fail, { disableErrorHandling: true }));
      app.use(((_error, _request, response, _next) => {
        response.status(418).end();
      }) as import("express").ErrorRequestHandler);
    });
    expect((await platform.call(`${running.url}/in`, { body: {} })).status).toBe(418);
  });
});

describe("json endpoints", () => {
  it("may be asked by pages of any origin", async () => {
    const url = await startWith(
      { json: [{ url: "/lists", handler: "lists" }] },
      { json: { lists: () => ({ options: [] }) } },
    );
    const preflight = await callConnector(`${url}/lists`, {
      method: "OPTIONS",
      headers: { origin: "https://dashboard.example.com", "access-control-request-headers": "x-a" },
    });
    expect([preflight.status, preflight.headers.get("access-control-allow-headers")]).toEqual([204, "x-a"]);
    const answer = await platform.call(`${url}/lists`, { headers: { origin: "https://dashboard.example.com" } });
    expect(answer.headers.get("access-control-allow-origin")).toBe("*");
    expect((await callConnector(`${url}/lists`)).headers.get("access-control-allow-origin")).toBe("*");
  });
});

describe("the request token", () => {
  it("stands for the credentials, and does not tell the secret", async () => {
    const url = await startWith(
      { json: [{ url: "/token", handler: "token" }] },
      { json: { token: ({ token }) => ({ token }) } },
      { hostSecret: "shhh" },
    );
    const { body } = await platform.call(`${url}/token`);
    const given = (body as { token: string }).token;
    expect(Buffer.from(given.split(".")[1] ?? "", "base64url").toString()).not.toContain(platform.credentials.secret);
    expect((await callConnector(`${url}/token`, { query: { token: given } })).status).toBe(200);
    expect((await callConnector(`${url}/token`, { query: { token: `${given}x` } })).status).toBe(401);
  });
});

/** A promise that resolves when told to. */
function gate(): { promise: Promise<void>; resolve: () => void } {
  let resolve = () => {};
  const promise = new Promise<void>((open) => {
    resolve = open;
  });
  return { promise, resolve };
}
