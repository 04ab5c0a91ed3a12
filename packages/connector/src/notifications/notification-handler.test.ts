import { gzipSync } from "node:zlib";
import type { UserUpdateMessage } from "@muster/protocol";
import { createBrand, HOUR_MS } from "@muster/protocol";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { Connector } from "../connector.js";
import type { ConnectorOptions } from "../connector-options.js";
import type { Context } from "../context/context.js";
import { ConfigurationError } from "../errors/configuration-error.js";
import { RateLimitError } from "../errors/rate-limit-error.js";
import { ReconciliationError } from "../errors/reconciliation-error.js";
import { TransientError } from "../errors/transient-error.js";
import {
  accountMessage,
  callConnector,
  type FakePlatform,
  type RunningConnector,
  runConnector,
  segmentRecord,
  startFakePlatform,
  userMessage,
} from "../testing/index.js";
import { createPlatformKey, sharedPlatformKey } from "../testing/platform-key.js";
import type { NotificationHandlers, NotificationOptions } from "./notification-options.js";

const manifest = { name: "Test", version: "1.0.0", settings_sections: [] };
const customers = segmentRecord({ id: "0198c2a4f1d020a1b2c3d4e5", name: "Customers" });
const leads = segmentRecord({ id: "0198c2a4f1d020a1b2c3d4e6", name: "Leads" });

let platform: FakePlatform;
let running: RunningConnector | undefined;
beforeEach(async () => {
  platform = await startFakePlatform({ segments: [customers, leads] });
});
afterEach(async () => {
  await running?.close();
  await platform.close();
});

async function start(
  handlers: NotificationHandlers,
  options: NotificationOptions = {},
  more: ConnectorOptions = {},
): Promise<string> {
  const connector = new Connector({
    manifest,
    port: 0,
    organizations: [platform.url],
    clientConfig: { onLog: () => {} },
    ...more,
  });
  running = await runConnector(connector, (app) =>
    app.use("/notify", connector.notificationHandler(handlers, options)),
  );
  return `${running.url}/notify`;
}

describe("a signed notification", () => {
  it("that has only some of the segments is handled with all of them, which are asked for once", async () => {
    const seen: Context[] = [];
    const url = await start({ "user:update": (ctx) => void seen.push(ctx) });
    const renamed = { ...leads, name: "Renamed" };
    const notice = { channel: "user:update", messages: [userMessage()], someSegments: [renamed] };
    for (let call = 0; call < 2; call++) expect((await platform.notify(url, notice)).status).toBe(200);
    expect(seen.map(({ segments }) => segments)).toEqual([
      [customers, renamed],
      [customers, renamed],
    ]);
    expect(platform.requests.filter((request) => request.includes("users_segments"))).toHaveLength(1);
  });

  it("is answered with what the handler reports about each message, with bodies cut", async () => {
    const url = await start({
      "user:update"(ctx, messages) {
        for (const message of messages) {
          if (message.message_id === "silent") continue;
          ctx.report(message, { result: "accepted" });
          const body = "é".repeat(3_000);
          if (message.message_id === "bad") ctx.report(message, { result: "refused", status: 400, body });
        }
      },
    });
    const messages = ["good", "bad", "silent"].map((message_id) => userMessage({ message_id }));
    const { body } = await platform.notify(url, { channel: "user:update", messages });
    expect(body).toMatchObject({
      results: [
        { message_id: "good", result: "accepted" },
        { message_id: "bad", result: "refused", status: 400, body: "é".repeat(1_024) },
      ],
    });
  });

  it("reaches the handler of its channel with the connector's context", async () => {
    const seen: { ctx: Context; messages: UserUpdateMessage[] }[] = [];
    const url = await start({
      async "user:update"(ctx, messages) {
        seen.push({ ctx, messages });
        for (const { user } of messages) await ctx.client.asUser({ id: user.id }).traits({ seen: true });
      },
    });
    platform.connector.private_settings.api_key = "k";
    const message = userMessage();
    const answer = await platform.notify(url, { channel: "user:update", messages: [message] });
    expect(answer).toMatchObject({ status: 200, body: { flow_control: { type: "next" }, errors: [], metrics: [] } });
    expect(seen[0]?.messages).toEqual([message]);
    expect(seen[0]?.ctx).toMatchObject({ segments: [customers, leads], accountsSegments: [], isBatch: false });
    expect(seen[0]?.ctx.connector.private_settings).toEqual({ api_key: "k" });
    expect(platform.entries).toEqual([
      { type: "traits", body: { seen: true }, subjectType: "user", asUser: { id: message.user.id } },
    ]);
    // The notification held everything, so Muster was not asked.
    expect(platform.calls).toEqual([]);
  });

  it("is refused when its body was changed after signing", async () => {
    const handler = vi.fn();
    const url = await start({ "user:update": handler });
    const body = JSON.stringify({ notification_id: "1", channel: "user:update", configuration: platform.credentials });
    const headers = sharedPlatformKey().headersFor(createBrand(), `${platform.url}/public-key`, body);
    const changed = body.replace("user:update", "user:delete");
    expect(await callConnector(url, { body: changed, headers })).toMatchObject({
      status: 401,
      body: { code: "invalid_signature", error: expect.stringContaining("the body was changed") },
    });
    expect(handler).not.toHaveBeenCalled();
  });

  it("is refused when the key is not Muster's, or is on a foreign host", async () => {
    const url = await start({ "user:update": () => {} });
    const body = JSON.stringify({ notification_id: "1", channel: "user:update", configuration: platform.credentials });
    const stranger = createPlatformKey();
    const withKeyAt = (keyUrl: string) => stranger.headersFor(createBrand(), keyUrl, body);
    const foreign = await callConnector(url, { body, headers: withKeyAt(`${platform.url}/public-key`) });
    expect(foreign).toMatchObject({ status: 401, body: { error: expect.stringContaining("does not match") } });
    const elsewhere = await callConnector(url, { body, headers: withKeyAt("https://example.com/key") });
    expect(elsewhere).toMatchObject({ status: 401, body: { error: expect.stringContaining("does not belong to") } });
  });

  it("is refused when the key is only part of a text on the platform's host, such as a file of an extract", async () => {
    const handler = vi.fn();
    const url = await start({ "user:update": handler });
    const stranger = createPlatformKey();
    const file = platform.serve(`id,name\n1,"\n${stranger.publicPem}\n"\n`);
    const body = JSON.stringify({ notification_id: "1", channel: "user:update", configuration: platform.credentials });
    const answer = await callConnector(url, { body, headers: stranger.headersFor(createBrand(), file, body) });
    expect(answer).toMatchObject({ status: 401, body: { error: expect.stringContaining("There is no public key") } });
    expect(handler).not.toHaveBeenCalled();
  });

  it("is refused when its signature is missing or made by another algorithm", async () => {
    const url = await start({ "user:update": () => {} });
    const body = { notification_id: "1", channel: "user:update", configuration: platform.credentials };
    const { headers } = createBrand();
    const call = (more: Record<string, string>) =>
      callConnector(url, { body, headers: { [headers.smartNotifier]: "true", ...more } });
    expect(await call({})).toMatchObject({ status: 400, body: { code: "unsupported_signature_version" } });
    expect(await call({ [headers.signatureVersion]: "v1" })).toMatchObject({
      status: 400,
      body: { code: "missing_signature_headers" },
    });
    const unsigned = `${Buffer.from('{"alg":"none"}').toString("base64url")}.${Buffer.from('{"jti":"1"}').toString("base64url")}.`;
    const none = {
      [headers.signatureVersion]: "v1",
      [headers.signature]: unsigned,
      [headers.signaturePublicKeyUrl]: `${platform.url}/public-key`,
    };
    expect(await call(none)).toMatchObject({ status: 401, body: { error: expect.stringContaining("RS256") } });
  });

  it("is accepted unsigned when skipSignatureValidation is true", async () => {
    const handler = vi.fn();
    const url = await start({ "user:update": handler }, {}, { skipSignatureValidation: true });
    const body = { notification_id: "1", channel: "user:update", configuration: platform.credentials, messages: [{}] };
    const answer = await callConnector(url, { body, headers: { [createBrand().headers.smartNotifier]: "true" } });
    expect(answer.status).toBe(200);
    expect(handler).toHaveBeenCalledOnce();
  });

  it("has its key fetched once for each address", async () => {
    const url = await start({ "user:update": () => {} });
    const fetched = vi.spyOn(globalThis, "fetch");
    for (const _ of [1, 2, 3]) {
      expect((await platform.notify(url, { channel: "user:update", messages: [] })).status).toBe(200);
    }
    const keys = fetched.mock.calls.filter(([address]) => String(address).endsWith("/public-key"));
    fetched.mockRestore();
    expect(keys).toHaveLength(1);
  });

  it("of a channel without a handler is acknowledged and ignored", async () => {
    const url = await start({ "user:update": () => {} });
    const answer = await platform.notify(url, { channel: "account:update", messages: [accountMessage()] });
    expect(answer).toMatchObject({ status: 200, body: { flow_control: { type: "next" } } });
  });

  it("is refused when its body is compressed, because it would be unpacked before the signature is checked", async () => {
    const url = await start({ "user:update": () => {} });
    const headers = { [createBrand().headers.smartNotifier]: "true", "content-encoding": "gzip" };
    expect((await fetch(url, { method: "POST", headers, body: gzipSync("[]") })).status).toBe(415);
  });

  it("that is too large is requested again in smaller parts", async () => {
    const url = await start({ "user:update": () => {} });
    const user = { id: "1", traits_text: "x".repeat(21_000_000) };
    const answer = await platform.notify(url, { channel: "user:update", messages: [userMessage({ user })] });
    expect(answer).toMatchObject({ status: 413, body: { flow_control: { type: "retry", size: 1 } } });
  });
});

describe("flow control", () => {
  it("tells Muster the wanted chunk size; larger chunks are split", async () => {
    const sizes: number[] = [];
    const url = await start(
      { "user:update": (_ctx, messages) => void sizes.push(messages.length) },
      { maxSize: 2, maxTime: 3_000 },
    );
    const messages = Array.from({ length: 5 }, () => userMessage());
    const answer = await platform.notify(url, { channel: "user:update", messages });
    expect(sizes).toEqual([2, 2, 1]);
    expect(answer.body).toMatchObject({ flow_control: { type: "next", size: 2, in_time: 3_000 } });
  });

  it("is set by the handler if it wants to", async () => {
    const url = await start({
      "user:update": (ctx) => void ctx.smartNotifierResponse.setFlowControl({ type: "next", size: 7, in: 50 }),
    });
    const answer = await platform.notify(url, { channel: "user:update", messages: [userMessage()] });
    expect(answer.body).toMatchObject({ flow_control: { type: "next", size: 7, in: 50 } });
  });

  it.each([
    ["an unexpected error", () => new Error("Oops."), 500, { in: 1_000 }],
    ["a failure that passes", () => new TransientError("Busy."), 503, { in: 1_000 }],
    ["a contact that is out of sync", () => new ReconciliationError("Deleted."), 503, { in: 10_000 }],
    ["settings that do not work", () => new ConfigurationError("No key."), 503, { in: HOUR_MS, until: "ship:update" }],
    ["an unknown rate limit", () => new RateLimitError("Slow down."), 503, { in: 1_000 }],
    [
      "a rate limit",
      () => new RateLimitError("Slow down.", { clearsAt: new Date(Date.now() + 30_500) }),
      503,
      { in: 30_500 },
    ],
  ])("asks for the messages again after %s", async (_case, makeError, status, wait) => {
    const now = vi.spyOn(Date, "now").mockReturnValue(Date.now());
    onTestFinished(() => now.mockRestore());
    const url = await start({
      "user:update": () => {
        throw makeError();
      },
    });
    const answer = await platform.notify(url, { channel: "user:update", messages: [userMessage()] });
    const { flow_control, errors } = answer.body as { flow_control: { type: string; in: number }; errors: unknown[] };
    expect(answer.status).toBe(status);
    expect(flow_control).toEqual({ type: "retry", ...wait });
    expect(errors).toEqual([{ code: expect.stringMatching(/^ERR_/), reason: expect.any(String) }]);
  });

  it("is left to the application's own error handler when disableErrorHandling is true", async () => {
    const connector = new Connector({
      manifest,
      port: 0,
      organizations: [platform.url],
      clientConfig: { onLog: () => {} },
    });
    const handlers = { "user:update": () => Promise.reject(new Error("Oops.")) };
    running = await runConnector(connector, (app) => {
      app.use("/notify", connector.notificationHandler(handlers, { disableErrorHandling: true }));
      app.use(((error, _request, response, _next) => {
        response.status(418).send(error.message);
      }) as import("express").ErrorRequestHandler);
    });
    const url = `${running.url}/notify`;
    const answer = await platform.notify(url, { channel: "user:update", messages: [userMessage()] });
    expect(answer).toMatchObject({ status: 418, text: "Oops." });
    const single = await platform.notifyPlainly(url, "user:update", userMessage());
    expect(single).toMatchObject({ status: 418, text: "Oops." });
  });
});

describe("messages", () => {
  it("have grouped attributes when groupTraits is true, and flat ones by default", async () => {
    const user = { id: "1", traits_plan: "pro", "traits_crm/stage": "won" };
    const seen: unknown[] = [];
    const handlers: NotificationHandlers = { "user:update": (_ctx, [message]) => void seen.push(message?.user) };
    const flat = await start(handlers);
    await platform.notify(flat, { channel: "user:update", messages: [userMessage({ user })] });
    await running?.close();
    const grouped = await start(handlers, { groupTraits: true });
    await platform.notify(grouped, { channel: "user:update", messages: [userMessage({ user })] });
    expect(seen).toEqual([user, { id: "1", traits: { plan: "pro" }, crm: { stage: "won" } }]);
  });
});

describe("single notifications", () => {
  it("are collected into chunks, and each is answered after its chunk was handled", async () => {
    const chunks: number[] = [];
    const url = await start(
      { "user:update": (_ctx, messages) => void chunks.push(messages.length) },
      { maxSize: 3, maxTime: 20_000 },
    );
    const answers = await Promise.all(
      [1, 2, 3].map((id) => platform.notifyPlainly(url, "user:update", userMessage({ message_id: String(id) }))),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(chunks).toEqual([3]);
  });

  it("wait at most maxTime for a full chunk, and fail together", async () => {
    const url = await start({ "user:update": () => Promise.reject(new Error("Oops.")) }, { maxSize: 100, maxTime: 20 });
    const answers = await Promise.all([1, 2].map(() => platform.notifyPlainly(url, "user:update", userMessage())));
    expect(answers.map(({ status }) => status)).toEqual([500, 500]);
  });

  it("come again when the rate limit clears, which the answer tells by Retry-After", async () => {
    const clearsAt = new Date(Date.now() + 90_000);
    const url = await start({ "user:update": () => Promise.reject(new RateLimitError("Later.", { clearsAt })) });
    const { status, headers } = await platform.notifyPlainly(url, "user:update", userMessage());
    const seconds = Number(headers.get("retry-after"));
    expect([status, seconds > 60 && seconds <= 90]).toEqual([503, true]);
  });

  it("are refused with a wrong secret", async () => {
    const handler = vi.fn();
    const url = await start({ "user:update": handler });
    const answer = await callConnector(url, {
      query: { ...platform.credentials, secret: "wrong" },
      body: { Type: "Notification", Subject: "user_report:update", Message: "{}" },
    });
    expect(answer).toMatchObject({ status: 401, body: { code: "invalid_credentials" } });
    expect(handler).not.toHaveBeenCalled();
  });
});

it("a body that is not a notification is refused", async () => {
  const url = await start({ "user:update": () => {} });
  expect(await platform.call(url, { body: { hello: 1 } })).toMatchObject({
    status: 400,
    body: { code: "missing_notification" },
  });
});

it("a notification about the connector itself replaces the cached record", async () => {
  const connector = new Connector({
    manifest,
    port: 0,
    organizations: [platform.url],
    clientConfig: { onLog: () => {} },
  });
  running = await runConnector(connector, (app) => {
    app.use("/notify", connector.notificationHandler({ "ship:update": () => {} }));
    app.get("/settings", ...connector.jsonHandler((ctx) => ctx.connector.private_settings));
  });
  platform.connector.private_settings = { version: 1 };
  const read = async () => (await platform.call(`${running?.url}/settings`)).body;
  expect(await read()).toEqual({ version: 1 });
  platform.connector.private_settings = { version: 2 };
  expect(await read()).toEqual({ version: 1 });
  await platform.notify(`${running.url}/notify`, { channel: "ship:update", messages: [platform.connector] });
  expect(await read()).toEqual({ version: 2 });
});
