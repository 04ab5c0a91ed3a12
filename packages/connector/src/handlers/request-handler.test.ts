import { gzipSync } from "node:zlib";
import type { Manifest } from "@muster/protocol/manifest";
import type { ErrorRequestHandler } from "express";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { sendHead } from "../../../../testing/send-head.js";
import { Connector } from "../connector.js";
import type { ConnectorOptions } from "../connector-options.js";
import { LogicError } from "../errors/logic-error.js";
import { TransientError } from "../errors/transient-error.js";
import {
  callConnector,
  type FakePlatform,
  type RunningConnector,
  runConnector,
  startFakePlatform,
} from "../testing/index.js";
import type { ConnectorHandlers } from "./connector-handlers.js";
import { reply } from "./reply.js";
import type { EndpointHandler, HandlerOptions } from "./request-handler.js";

const MANIFEST: Manifest = { name: "Test", version: "1.0.0", settings_sections: [] };

let platform: FakePlatform;
let running: RunningConnector | undefined;
beforeEach(async () => {
  platform = await startFakePlatform();
});
afterEach(async () => {
  await running?.close();
  await platform.close();
});

async function startWith(declared: Partial<Manifest>, handlers: ConnectorHandlers, options: ConnectorOptions = {}) {
  const manifest = { ...MANIFEST, ...declared };
  running = await runConnector(
    new Connector({
      manifest,
      handlers,
      port: 0,
      organizations: [platform.url],
      clientConfig: { onLog: () => {} },
      ...options,
    }),
  );
  return running.url;
}

/** A connector with one incoming endpoint. */
function startIncoming(options: HandlerOptions, handle: EndpointHandler = () => ({ done: 1 })) {
  return startWith({ incoming: [{ url: "/in", handler: "take", options }] }, { incoming: { take: handle } });
}

describe("a request", () => {
  it("reaches its handler as it was sent, without the credentials", async () => {
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

  it("is refused without credentials, with a wrong secret, and with the id of an unknown connector", async () => {
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

  it("is refused before its body comes, when it has no right credentials", async () => {
    const url = await startWith(
      {
        incoming: [
          { url: "/in", handler: "take" },
          { url: "/signed", handler: "take", options: { credentialsFromNotification: true } },
        ],
        subscriptions: [{ url: "/notify" }],
      },
      { incoming: { take: () => ({}) }, subscriptions: { "user:update": () => {} } },
    );
    const wrong = new URLSearchParams({ ...platform.credentials, secret: "no" });
    for (const path of ["/in", "/signed", "/notify"]) {
      expect([path, await sendHead(url + path), await sendHead(`${url}${path}?${wrong}`)]).toEqual([path, 401, 401]);
    }
  });

  it("is refused when it has more values than there is memory for, and not when it has as many bytes of text", async () => {
    const url = await startIncoming({}, (_ctx, { body }) => Object.keys(body as object).length);
    const post = async (path: string, body: string | Buffer, headers = {}) => {
      const address = `${url}${path}?${new URLSearchParams({ ...platform.credentials })}`;
      const type = { "content-type": "application/json" };
      return (await fetch(address, { method: "POST", headers: { ...type, ...headers }, body })).status;
    };
    const values = `[${"{},".repeat(1_000_000)}1]`;
    const packed = { "content-encoding": "gzip" };
    expect([await post("/in", values), await post("/in", gzipSync(values), packed)]).toEqual([413, 413]);
    expect(
      await post("/in", Buffer.from(values, "utf16le"), { "content-type": "application/json;charset=utf-16" }),
    ).toBe(415);
    const text = JSON.stringify({ text: 'a, b [{ "c\\" '.repeat(200_000) });
    expect([await post("/in", text), await post("/in", gzipSync(text), packed)]).toEqual([200, 200]);
  });

  it("does not take credentials from the query when credentialsFromQuery is false", async () => {
    const url = await startIncoming({ credentialsFromQuery: false });
    expect(await platform.call(`${url}/in`, { body: {} })).toMatchObject({
      status: 401,
      body: { code: "missing_credentials" },
    });
  });

  it("takes credentials from a signed body when credentialsFromNotification is true", async () => {
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

  it("is dropped or answered with 403 when Muster refuses the credentials because the connector is disabled", async () => {
    const handle = vi.fn();
    const error = { code: "connector_disabled", message: "The connector is disabled.", details: [] };
    platform.willAnswer(`GET /${platform.credentials.id}`, { error }, 403);
    const dropping = await startIncoming({ dropIfConnectorDisabled: true }, handle);
    expect(await platform.call(`${dropping}/in`, { body: {} })).toMatchObject({
      status: 200,
      body: { dropped: expect.any(String) },
    });
    const refusing = await startIncoming({}, handle);
    expect((await platform.call(`${refusing}/in`, { body: {} })).status).toBe(403);
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

  it("may be answered with a status and headers", async () => {
    const url = await startIncoming({}, () => reply(202, { queued: true }, { "x-queue": "a" }));
    const answer = await platform.call(`${url}/in`, { body: {} });
    expect([answer.status, answer.body, answer.headers.get("x-queue")]).toEqual([202, { queued: true }, "a"]);
  });

  it("is answered as a page when format is html", async () => {
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

  it("is answered with a general message", async () => {
    const url = await startIncoming({}, fail);
    expect(await platform.call(`${url}/in`, { body: {} })).toMatchObject({
      status: 500,
      body: { error: "unhandled-error" },
    });
  });

  it("is answered with its own message when respondWithError is true", async () => {
    const url = await startIncoming({ respondWithError: true }, fail);
    expect(await platform.call(`${url}/in`, { body: {} })).toMatchObject({
      status: 500,
      body: { error: "The password is 1234." },
    });
  });

  it("that is transient asks the caller to try again", async () => {
    const url = await startIncoming({}, () => Promise.reject(new TransientError("Down.")));
    expect(await platform.call(`${url}/in`, { body: {} })).toMatchObject({
      status: 503,
      body: { error: "transient-error", code: "ERR_TRANSIENT" },
    });
  });

  it("that the connector should have caught is answered and logged like any unexpected one", async () => {
    const logs: { level: string; message: string; data?: unknown }[] = [];
    const url = await startWith(
      { incoming: [{ url: "/in", handler: "take", options: { respondWithError: true } }] },
      { incoming: { take: () => Promise.reject(new LogicError("A list cannot hold itself.", "list.add")) } },
      { clientConfig: { onLog: (entry) => void logs.push(entry) } },
    );
    expect(await platform.call(`${url}/in`, { body: {} })).toMatchObject({
      status: 500,
      body: { error: "A list cannot hold itself.", code: "ERR_LOGIC" },
    });
    expect(logs).toMatchObject([{ level: "error", message: "connector.request.error", data: { where: "/in" } }]);
  });

  it("after the answer of fireAndForget is logged", async () => {
    const logs: { level: string; message: string }[] = [];
    const url = await startWith(
      { incoming: [{ url: "/in", handler: "take", options: { fireAndForget: true } }] },
      { incoming: { take: fail } },
      { clientConfig: { onLog: (entry) => void logs.push(entry) } },
    );
    expect(await platform.call(`${url}/in`, { body: {} })).toMatchObject({ status: 200, body: { ok: true } });
    await vi.waitFor(() => expect(logs).toMatchObject([{ level: "error", message: "connector.request.error" }]));
  });

  it("goes to the application's own error handler when disableErrorHandling is true", async () => {
    const connector = new Connector({
      manifest: MANIFEST,
      port: 0,
      organizations: [platform.url],
      clientConfig: { onLog: () => {} },
    });
    running = await runConnector(connector, (app) => {
      app.post("/in", ...connector.incomingHandler(fail, { disableErrorHandling: true }));
      app.use(((_error, _request, response, _next) => {
        response.status(418).end();
      }) as ErrorRequestHandler);
    });
    expect((await platform.call(`${running.url}/in`, { body: {} })).status).toBe(418);
  });
});

describe("json endpoints", () => {
  const startLists = (options: ConnectorOptions) =>
    startWith({ json: [{ url: "/lists", handler: "lists" }] }, { json: { lists: () => ({ options: [] }) } }, options);
  const originsFor = async (url: string, origin: string) => {
    const answers = [
      await callConnector(`${url}/lists`, { method: "OPTIONS", headers: { origin } }),
      await platform.call(`${url}/lists`, { headers: { origin } }),
    ];
    return answers.map(({ headers }) => headers.get("access-control-allow-origin"));
  };

  it("give no page of another origin permission to read their answers", async () => {
    expect(await originsFor(await startLists({}), "https://evil.example")).toEqual([null, null]);
  });

  it("give it to the origins that the connector allows", async () => {
    const url = await startLists({ allowedOrigins: ["https://app.example.com"] });
    const allowed = "https://app.example.com";
    expect(await originsFor(url, allowed)).toEqual([allowed, allowed]);
    expect(await originsFor(url, "https://app.example.com.evil.example")).toEqual([null, null]);
  });
});

describe("a token", () => {
  const startTokens = (options: ConnectorOptions = { hostSecret: "a-secret-of-the-host" }) =>
    startWith(
      {
        json: [{ url: "/tokens", handler: "tokens" }],
        incoming: [{ url: "/webhooks/:source", handler: "receive" }],
        schedules: [{ url: "/sync", handler: "sync", type: "interval", value: 5 }],
      },
      {
        json: { tokens: ({ token, helpers }) => ({ token, webhook: helpers.webhookUrl("/webhooks/a b") }) },
        incoming: { receive: (_ctx, { params }) => params },
        schedules: { sync: () => ({}) },
      },
      options,
    );
  const tokensAt = async (url: string) =>
    (await platform.call(`${url}/tokens`)).body as { token: string; webhook: string };

  it("of a page is accepted by pages and their endpoints alone, and does not reveal the secret", async () => {
    const url = await startTokens();
    const { token } = await tokensAt(url);
    expect(Buffer.from(token.split(".")[1] ?? "", "base64url").toString()).not.toContain(platform.credentials.secret);
    const statusOf = async (path: string, given = token) =>
      (await callConnector(url + path, { query: { token: given } })).status;
    expect(await statusOf("/tokens")).toBe(200);
    expect(await statusOf("/tokens", `${token}x`)).toBe(401);
    for (const path of ["/webhooks/a", "/sync"]) expect([path, await statusOf(path)]).toEqual([path, 401]);
  });

  it("of a page expires", async () => {
    const url = await startTokens();
    const { token } = await tokensAt(url);
    const now = vi.spyOn(Date, "now").mockReturnValue(Date.now() + 12 * 3_600_000 + 1_000);
    onTestFinished(() => now.mockRestore());
    expect((await callConnector(`${url}/tokens`, { query: { token } })).status).toBe(401);
  });

  it("of a webhook is accepted at its own address alone", async () => {
    const url = await startTokens();
    const { webhook } = await tokensAt(url);
    expect(await callConnector(webhook, { body: {} })).toMatchObject({ status: 200, body: { source: "a b" } });
    const token = new URL(webhook).searchParams.get("token") ?? "";
    for (const path of ["/webhooks/b", "/tokens", "/sync"]) {
      expect([path, (await callConnector(url + path, { query: { token }, body: {} })).status]).toEqual([path, 401]);
    }
  });
});

describe("credentials", () => {
  const startNames = () =>
    startWith({ json: [{ url: "/name", handler: "name" }] }, { json: { name: ({ connector }) => connector.name } });

  it("are wrong when Muster knows their holder as somebody else than the connector", async () => {
    const url = await startNames();
    const { secret: _secret, ...publicRecord } = platform.connector;
    platform.willAnswer(`GET /${platform.credentials.id}`, publicRecord);
    expect(await platform.call(`${url}/name`)).toMatchObject({ status: 401, body: { code: "invalid_credentials" } });
  });

  it("that are wrong do not get in the way of right ones that the connector has not seen yet", async () => {
    const url = await startNames();
    const call = (secret: string) =>
      callConnector(`${url}/name`, { query: { ...platform.credentials, secret } }).then(({ status }) => status);
    const statuses = await Promise.all(Array.from({ length: 20 }, (_, index) => call(`wrong-${index}`)));
    expect(new Set(statuses)).toEqual(new Set([401]));
    expect(await call(platform.credentials.secret)).toBe(200);
  });
});

/** A promise, and the function that resolves it. */
function gate(): { promise: Promise<void>; resolve: () => void } {
  let resolve = () => {};
  const promise = new Promise<void>((open) => {
    resolve = open;
  });
  return { promise, resolve };
}
