import { createHash, createPublicKey, verify } from "node:crypto";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { smartManifest } from "../testing/connector-app.js";
import { DeliveryKit } from "../testing/delivery-kit.js";
import type { Sender } from "../testing/sender.js";

let kit: DeliveryKit;
let sender: Sender;

beforeAll(async () => {
  kit = await DeliveryKit.open();
  ({ sender } = kit);
});
afterAll(() => kit.close());
afterEach(() => kit.removeConnectors());

const installed = (parts: Record<string, unknown> = {}) => kit.install(smartManifest(parts));
const update = (id: string, payload: object) => kit.operator("PUT", `/${id}`, payload);

describe("a user that changes", () => {
  test("a subscribed connector gets its report, its changes and its events", async () => {
    const { app, id, secret, organization } = await installed();
    const who = { user: { external_id: "told-1", email: "told-1@example.com" } };
    await sender.send([
      sender.traits(who, { plan: "free", first_name: "Tilda" }),
      sender.track(who, "Signed up", { properties: { via: "form" }, ip: "8.8.8.8" }),
    ]);
    await app.until(({ userMessages }) => userMessages.length === 1);
    const [notification] = app.notifications;
    expect(notification).toMatchObject({
      notification_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      channel: "user:update",
      is_export: false,
      configuration: { id, secret, organization },
      connector: { id, secret, name: "Smart", type: "ship", private_settings: {} },
      segments: [],
      accounts_segments: [],
    });
    expect(app.userMessages[0]).toEqual({
      message_id: expect.any(String),
      user: expect.objectContaining({
        id: expect.stringMatching(/^[0-9a-f]{24}$/),
        external_id: "told-1",
        email: "told-1@example.com",
        first_name: "Tilda",
        traits_plan: "free",
        segment_ids: [],
      }),
      account: {},
      segments: [],
      segment_ids: [],
      account_segments: [],
      account_segment_ids: [],
      events: [
        {
          event: "Signed up",
          event_id: expect.any(String),
          event_source: "",
          event_type: "track",
          created_at: expect.any(String),
          user_id: app.userMessages[0]?.user.id,
          anonymous_id: null,
          session_id: null,
          properties: { via: "form" },
          context: expect.objectContaining({ ip: "8.8.8.8" }),
        },
      ],
      changes: {
        is_new: true,
        user: expect.objectContaining({ traits_plan: [null, "free"], first_name: [null, "Tilda"] }),
        account: {},
        segments: { entered: [], left: [] },
        account_segments: { entered: [], left: [] },
      },
      matchesFilter: true,
    });
  });

  test("several changes in one micro-batch make one message, from the first value to the last", async () => {
    const { app } = await installed();
    const who = { user: { external_id: "often" } };
    await sender.settle([sender.traits(who, { level: 1 })]);
    await app.until(({ userMessages }) => userMessages.length === 1);
    const at = Date.now();
    await sender.send([2, 3, 4].map((level) => sender.traits(who, { level }, new Date(at - 10 + level))));
    await app.until(({ userMessages }) => userMessages.length === 2);
    expect(app.userMessages[1]?.changes).toMatchObject({ is_new: false, user: { traits_level: [1, 4] } });
  });

  test("a write that leaves the value as it was makes no message", async () => {
    const { app } = await installed();
    const who = { user: { external_id: "same" } };
    await sender.settle([sender.traits(who, { plan: "pro" })]);
    await sender.settle([sender.traits(who, { plan: "pro" })]);
    await sender.settle([sender.traits(who, { plan: "max" })]);
    await app.until(({ userMessages }) => userMessages.some(({ user }) => user.traits_plan === "max"));
    expect(app.userMessages.map(({ changes }) => changes.user.traits_plan)).toEqual([
      [null, "pro"],
      ["pro", "max"],
    ]);
  });

  test("its message contains its account and the changes made there", async () => {
    const { app } = await installed();
    const user = { external_id: "linked" };
    const account = { external_id: "acme" };
    await sender.settle([sender.traits({ user, account }, { plan: "pro" })]);
    await sender.send([
      sender.traits({ account, subject: "account" }, { industry: "ships" }),
      sender.traits({ user }, { plan: "max" }),
    ]);
    await app.until(({ userMessages }) => userMessages.length === 2);
    expect(app.userMessages[1]).toMatchObject({
      account: { external_id: "acme", industry: "ships" },
      changes: { user: { traits_plan: ["pro", "max"] }, account: { industry: [null, "ships"] } },
    });
    const accounts = app.notifications.filter(({ channel }) => channel === "account:update");
    expect(accounts.at(-1)?.messages).toEqual([
      {
        message_id: expect.any(String),
        account: expect.objectContaining({ external_id: "acme", industry: "ships", segment_ids: [] }),
        account_segments: [],
        account_segment_ids: [],
        changes: {
          is_new: false,
          account: { industry: [null, "ships"] },
          account_segments: { entered: [], left: [] },
        },
        matchesFilter: true,
      },
    ]);
  });

  test("its erasure is sent on a channel of its own", async () => {
    const { app } = await installed();
    await sender.settle([sender.traits({ user: { external_id: "gone" } }, { plan: "pro" })]);
    const { id } = await sender.user({ external_id: "gone" });
    await sender.call("DELETE", `/${id}`);
    await app.until(({ notifications }) => notifications.some(({ channel }) => channel === "user:delete"));
    expect(app.notifications.at(-1)?.messages).toEqual([{ message_id: expect.any(String), user: { id } }]);
  });
});

test("a notification is signed with a key that can be fetched by GET and POST", async () => {
  const { app, organization } = await installed();
  await sender.send([sender.traits({ user: { external_id: "signed" } }, { a: 1 })]);
  await app.until(({ userMessages }) => userMessages.length === 1);
  const { headers, notification_id, text } = app.notifications[0]!;
  expect(headers["x-svc-smart-notifier"]).toBe("true");
  expect(headers["x-svc-smart-notifier-signature-version"]).toBe("v1");
  const keyUrl = String(headers["x-svc-smart-notifier-signature-public-key-url"]);
  const byGet = await fetch(keyUrl);
  expect(byGet.headers.get("content-type")).toContain("text/plain");
  const pem = await byGet.text();
  const posted = { method: "POST", body: "whatever", headers: { "content-type": "application/x-www-form-urlencoded" } };
  expect(await (await fetch(keyUrl, posted)).text()).toBe(pem);

  const [head, claims, signature] = String(headers["x-svc-smart-notifier-signature"]).split(".") as [
    string,
    string,
    string,
  ];
  const isAuthentic = verify(
    "sha256",
    Buffer.from(`${head}.${claims}`),
    createPublicKey(pem),
    Buffer.from(signature, "base64url"),
  );
  expect(isAuthentic).toBe(true);
  expect(JSON.parse(Buffer.from(head, "base64url").toString())).toEqual({ alg: "RS256", typ: "JWT" });
  const now = Date.now() / 1_000;
  const payload = JSON.parse(Buffer.from(claims, "base64url").toString()) as Record<string, unknown>;
  expect(payload).toMatchObject({ jti: notification_id, iss: organization });
  expect(payload.body_sha256).toBe(createHash("sha256").update(text).digest("hex"));
  expect(Number(payload.iat)).toBeLessThanOrEqual(now);
  expect(Number(payload.exp)).toBeGreaterThan(now);
});

describe("a subscription", () => {
  test("it gets only the channels it asks for", async () => {
    const conditions = { channels: { only: ["account:update"] } };
    const { app } = await installed({ subscriptions: [{ url: "/accounts", conditions }] });
    const account = { external_id: "only-accounts" };
    await sender.settle([sender.traits({ user: { external_id: "not-told" }, account }, { plan: "pro" })]);
    await app.until(({ notifications }) => notifications.length === 1);
    expect(app.calls.map(({ path }) => path)).toEqual(["/accounts"]);
    expect(app.notifications[0]?.channel).toBe("account:update");
  });

  test("with an events whitelist it gets only these events, and no message about users with only other events", async () => {
    const { app, id } = await installed({
      private_settings: [{ name: "events", type: "array", format: "event" }],
      subscriptions: [
        {
          url: "/smart-notifier",
          channels: [{ channel: "user:update", handler: "update", "events-whitelist": ["private_settings.events"] }],
        },
      ],
    });
    await update(id, { private_settings: { events: ["Bought"] } });
    const who = (name: string) => ({ user: { external_id: name } });
    await sender.settle([sender.traits(who("buyer"), { a: 1 }), sender.traits(who("looker"), { a: 1 })]);
    await app.until(({ userMessages }) => userMessages.length === 2);
    await sender.settle([sender.track(who("looker"), "Looked")]);
    await sender.settle([sender.track(who("buyer"), "Looked"), sender.track(who("buyer"), "Bought")]);
    await app.until(({ userMessages }) => userMessages.length >= 3);
    expect(app.userMessages).toHaveLength(3);
    expect(app.userMessages[2]?.events.map(({ event }) => event)).toEqual(["Bought"]);
  });

  test("with a filter by segments it gets messages about members and about users who just left", async () => {
    const segment = await sender.call("POST", "/users_segments", {
      payload: { name: "Paying", query: { term: { "traits_paying.raw": "yes" } }, predicate: {} },
    });
    const { id: segmentId } = segment.json<{ id: string }>();
    const { app, id } = await installed({
      private_settings: [{ name: "segments", type: "array", format: "segment", default: [] }],
      subscriptions: [
        { url: "/smart-notifier", conditions: { segments: { "user:update": ["private_settings.segments"] } } },
      ],
    });
    await update(id, { private_settings: { segments: [segmentId] } });
    const who = { user: { external_id: "payer" } };
    await sender.settle([sender.traits(who, { paying: "no", step: 1 })]);
    await sender.settle([sender.traits(who, { paying: "yes" })]);
    await sender.settle([sender.traits(who, { step: 2 })]);
    await sender.settle([sender.traits(who, { paying: "no" })]);
    await sender.settle([sender.traits(who, { step: 3 })]);
    await app.until(({ userMessages }) => userMessages.length >= 3);
    const record = { id: segmentId, name: "Paying", type: "users_segment", query: expect.any(Object) };
    expect(app.userMessages).toMatchObject([
      {
        segment_ids: [segmentId],
        segments: [record],
        changes: { segments: { entered: [record], left: [] } },
        matchesFilter: true,
      },
      { segment_ids: [segmentId], changes: { user: { traits_step: [1, 2] } }, matchesFilter: true },
      { segment_ids: [], segments: [], changes: { segments: { entered: [], left: [record] } }, matchesFilter: false },
    ]);
    expect(app.notifications.at(-1)?.segments).toContainEqual(
      expect.objectContaining({ id: segmentId, query: { term: { "traits_paying.raw": "yes" } } }),
    );
    await sender.call("DELETE", `/${segmentId}`);
  });

  test("with a filter by segments of accounts it gets messages about their members and about accounts that just left", async () => {
    const segment = await sender.call("POST", "/accounts_segments", {
      payload: { name: "Large", query: { range: { size: { gte: 100 } } }, predicate: {} },
    });
    const { id: segmentId } = segment.json<{ id: string }>();
    const { app, id } = await installed({
      private_settings: [{ name: "account_segments", type: "array", format: "accountSegment", default: [] }],
      subscriptions: [
        {
          url: "/smart-notifier",
          conditions: {
            channels: { only: ["account:update"] },
            segments: { "account:update": ["private_settings.account_segments"] },
          },
        },
      ],
    });
    await update(id, { private_settings: { account_segments: [segmentId] } });
    for (const size of [10, 200, 300, 20, 30]) {
      await sender.settle([sender.traits({ account: { external_id: "growing" } }, { size })]);
    }
    const messages = () => app.notifications.flatMap((notification) => notification.messages as object[]);
    await app.until(() => messages().length >= 3);
    const record = { id: segmentId, name: "Large", query: { range: { size: { gte: 100 } } } };
    expect(messages()).toMatchObject([
      { account: { size: 200 }, account_segments: [record], changes: { account_segments: { entered: [record] } } },
      { account: { size: 300 }, account_segments: [record], matchesFilter: true },
      { account: { size: 20 }, changes: { account_segments: { left: [record] } }, matchesFilter: false },
    ]);
    await sender.call("DELETE", `/${segmentId}`);
  });

  test("with the older name for segments it gets segments of users and of accounts under this name", async () => {
    const conditions = { channels: { only: ["segment:update", "segment:delete"] } };
    const { app } = await installed({ subscriptions: [{ url: "/s", conditions }] });
    const payload = { name: "Temporary", query: {}, predicate: {} };
    const users = (await sender.call("POST", "/users_segments", { payload })).json<{ id: string }>();
    const ofAccounts = { ...payload, name: "Temporary accounts" };
    const accounts = (await sender.call("POST", "/accounts_segments", { payload: ofAccounts })).json<{ id: string }>();
    await sender.call("DELETE", `/${users.id}`);
    await sender.call("DELETE", `/${accounts.id}`);
    await app.until(({ notifications }) => notifications.flatMap(({ messages }) => messages).length === 4);
    expect(
      app.notifications.flatMap(({ channel, messages }) => messages.map((message) => [channel, message])),
    ).toMatchObject([
      ["segment:update", { id: users.id, name: "Temporary", type: "users_segment" }],
      ["segment:update", { id: accounts.id, type: "accounts_segment" }],
      ["segment:delete", { id: users.id }],
      ["segment:delete", { id: accounts.id }],
    ]);
  });
});

test("a connector gets a notice when its settings change, with the new settings", async () => {
  const { app, id } = await installed({ settings: [{ name: "color", type: "string", default: "red" }] });
  await update(id, { settings: { color: "blue" }, private_settings: { token: "t" } });
  await app.until(({ notifications }) => notifications.length === 1);
  expect(app.notifications[0]).toMatchObject({
    channel: "ship:update",
    connector: { settings: { color: "blue" }, private_settings: { token: "t" } },
    messages: [{ id, settings: { color: "blue" }, private_settings: { token: "t" } }],
  });
});

describe("a connector without the tag for flow control", () => {
  test("it gets each message in a call of its own in the older form, with the credentials in the query", async () => {
    const { app, id, secret, organization } = await installed({ tags: ["outgoing"] });
    await sender.send(
      ["a", "b", "c"].map((name) => sender.traits({ user: { external_id: `plain-${name}` } }, { name })),
    );
    await app.until(({ calls }) => calls.length === 3);
    const [call] = app.calls;
    expect(Object.fromEntries(call!.query)).toEqual({ organization, id, ship: id, secret });
    expect(call?.headers["x-amz-sns-message-type"]).toBe("Notification");
    expect(call?.body).toMatchObject({
      Type: "Notification",
      Subject: "user_report:update",
      Timestamp: expect.any(String),
    });
    const messages = app.calls.map(({ body }) => JSON.parse(String(body.Message)) as { user: { external_id: string } });
    expect(messages.map(({ user }) => user.external_id).sort()).toEqual(["plain-a", "plain-b", "plain-c"]);
  });

  test("any 2xx is a success, and messages whose call failed are sent again", async () => {
    const { app } = await installed({ tags: [] });
    let failures = 2;
    app.respond = (_call, response) => {
      response.statusCode = failures-- > 0 ? 500 : 200;
      response.end("ok");
    };
    await sender.send([sender.traits({ user: { external_id: "plain-retry" } }, { a: 1 })]);
    await app.until(({ calls }) => calls.length === 3);
    expect(new Set(app.calls.map(({ body }) => body.Message)).size).toBe(1);
  });
});
