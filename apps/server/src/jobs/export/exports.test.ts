import type { UserUpdateMessage } from "@muster/protocol";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { lockNotifyCursor } from "../../storage/postgres/delivery/outbox.js";
import { PATIENCE } from "../../testing/bulk.js";
import { ConnectorApp, smartManifest } from "../../testing/connector-app.js";
import { Sender } from "../../testing/sender.js";
import { openTestServer, type TestServer } from "../../testing/test-server.js";

let muster: TestServer;
let sender: Sender;
let segmentId: string;
const apps: ConnectorApp[] = [];

beforeAll(async () => {
  muster = await openTestServer();
  await muster.listen();
  sender = new Sender(muster);
  const account = { external_id: "acme" };
  await sender.settle(
    Array.from({ length: 7 }, (_, index) =>
      sender.traits({ user: { external_id: `u${index}` }, account }, { paying: index < 3 ? "yes" : "no" }),
    ),
  );
  const segment = await sender.call("POST", "/users_segments", {
    payload: { name: "Paying", query: { term: { "traits_paying.raw": "yes" } }, predicate: {} },
  });
  segmentId = segment.json<{ id: string }>().id;
  await vi.waitFor(async () => {
    const { stats } = (await sender.call("GET", `/${segmentId}`)).json<{ stats: { users: number } }>();
    expect(stats.users).toBe(3);
  }, 20_000);
}, 60_000);
afterAll(() => muster.close());
afterEach(async () => {
  for (const app of apps.splice(0)) await app.close();
});

async function installed(parts: Record<string, unknown>) {
  const app = await ConnectorApp.open(smartManifest(parts));
  apps.push(app);
  return { app, ...(await app.install(muster)) };
}

function operator(method: "GET" | "POST" | "PUT", path: string, payload?: object) {
  const headers = muster.operatorHeaders;
  return muster.app.inject({ method, url: `/api/v1${path}`, headers, ...(payload ? { payload } : {}) });
}

test("all users are sent in ordinary notifications that are marked as an export", async () => {
  const { app, id } = await installed({ tags: ["kraken-exports"] });
  const job = (await operator("POST", `/${id}/export`, {})).json<{ id: string; type: string }>();
  expect(job.type).toBe("export");
  await app.until(({ userMessages }) => userMessages.length === 7);
  expect(app.notifications[0]).toMatchObject({ channel: "user:update", is_export: true });
  expect(app.userMessages.map(({ user }) => user.external_id).sort()).toEqual([
    "u0",
    "u1",
    "u2",
    "u3",
    "u4",
    "u5",
    "u6",
  ]);
  expect(app.userMessages[0]).toMatchObject({
    account: { external_id: "acme" },
    events: [],
    changes: { is_new: false, user: {}, segments: { entered: [], left: [] } },
    matchesFilter: true,
  });
  await vi.waitFor(async () => {
    expect((await operator("GET", `/${job.id}`)).json()).toMatchObject({
      status: "completed",
      progress: { processed: 7, total: 7 },
    });
  }, PATIENCE);
});

test("only the members of a segment are sent when one is named, and the filters of the connector do not apply", async () => {
  const { app, id } = await installed({
    tags: ["kraken-exports"],
    private_settings: [{ name: "segments", type: "array", default: [] }],
    subscriptions: [
      { url: "/smart-notifier", conditions: { segments: { "user:update": ["private_settings.segments"] } } },
    ],
  });
  await operator("POST", `/${id}/export`, { segment_id: segmentId });
  await app.until(({ userMessages }) => userMessages.length === 3);
  expect(app.userMessages.map(({ user }) => user.external_id).sort()).toEqual(["u0", "u1", "u2"]);
  expect(app.userMessages[0]).toMatchObject({
    segment_ids: [segmentId],
    segments: [{ name: "Paying" }],
    matchesFilter: true,
  });
});

test("those that a query selects are sent, and a query that the language does not have is refused", async () => {
  const { app, id } = await installed({ tags: ["kraken-exports"] });
  const query = { terms: { external_id: ["u1", "u5"] } };
  const job = (await operator("POST", `/${id}/export`, { query })).json<{ id: string }>();
  await app.until(({ userMessages }) => userMessages.length === 2);
  expect(app.userMessages.map(({ user }) => user.external_id).sort()).toEqual(["u1", "u5"]);
  await vi.waitFor(async () => {
    expect((await operator("GET", `/${job.id}`)).json()).toMatchObject({
      status: "completed",
      progress: { processed: 2, total: 2 },
    });
  }, PATIENCE);
  expect((await operator("POST", `/${id}/export`, { query: { sounds_like: {} } })).statusCode).toBe(400);
  expect((await operator("POST", `/${id}/export`, { query, segment_id: segmentId })).statusCode).toBe(400);
});

test("members match also when the connector has stopped to take batches before it got them", async () => {
  const filtered = {
    private_settings: [{ name: "segments", type: "array", default: [] }],
    subscriptions: [{ url: "/notify", conditions: { segments: { "user:update": ["private_settings.segments"] } } }],
  };
  const { app, id } = await installed({ ...filtered, tags: ["kraken-exports"] });
  await operator("PUT", `/${id}`, { enabled: false, when_disabled: "hold" });
  const job = (await operator("POST", `/${id}/export`, { segment_id: segmentId })).json<{ id: string }>();
  await vi.waitFor(async () => {
    expect((await operator("GET", `/${job.id}`)).json()).toMatchObject({ status: "completed" });
  }, PATIENCE);
  app.manifest = smartManifest({ ...filtered, tags: [] });
  await operator("POST", `/${id}/refresh`);
  await operator("PUT", `/${id}`, { enabled: true });
  const messages = () =>
    app.calls
      .filter(({ body }) => body.Subject === "user_report:update")
      .map(({ body }) => JSON.parse(String(body.Message)) as UserUpdateMessage);
  await app.until(() => messages().length === 3);
  expect(messages().map(({ matchesFilter }) => matchesFilter)).toEqual([true, true, true]);
});

test("accounts are sent on their own channel", async () => {
  const { app, id } = await installed({ tags: ["kraken-exports"] });
  await operator("POST", `/${id}/export`, { object: "accounts" });
  await app.until(({ notifications }) => notifications.length === 1);
  expect(app.notifications[0]).toMatchObject({
    channel: "account:update",
    is_export: true,
    messages: [{ account: { external_id: "acme" }, changes: { is_new: false, account: {} } }],
  });
});

test("a connector that takes files is called with the address of a file, and with its credentials", async () => {
  const { app, id, secret, organization } = await installed({ tags: ["batch"], subscriptions: [] });
  await operator("POST", `/${id}/export`, { segment_id: segmentId });
  await app.until(({ calls }) => calls.length === 1, 20_000);
  const [call] = app.calls;
  expect(call).toMatchObject({
    method: "POST",
    path: "/batch",
    body: { format: "json", object_type: "user_report", channel: "user:extract", notification_id: expect.any(String) },
  });
  expect(Object.fromEntries(call!.query)).toEqual({ organization, ship: id, id, secret, segment_id: segmentId });
  expect(call?.body.segments).toMatchObject([{ id: segmentId, name: "Paying" }]);
  const file = await (await fetch(String(call?.body.url))).text();
  const users = file
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { external_id: string });
  expect(users.map(({ external_id }) => external_id).sort()).toEqual(["u0", "u1", "u2"]);
});

test("a connector that declares where it takes files is called there", async () => {
  const { app, id } = await installed({
    tags: ["batch", "batch-accounts"],
    subscriptions: [],
    batches: [
      { url: "/people-files", channels: [{ channel: "user:update", handler: "users" }] },
      { url: "company-files", channels: [{ channel: "account:update", handler: "accounts" }] },
    ],
  });
  await operator("POST", `/${id}/export`, {});
  await operator("POST", `/${id}/export`, { object: "accounts" });
  await app.until(({ calls }) => calls.length === 2, 20_000);
  const called = app.calls.map(({ path, body }) => `${path} ${String(body.object_type)}`).sort();
  expect(called).toEqual(["/company-files account_report", "/people-files user_report"]);
});

test("a connector is called at the usual path when what it declares is for something else", async () => {
  const { app, id } = await installed({
    tags: ["batch"],
    subscriptions: [],
    batches: [{ url: "/company-files", channels: [{ channel: "account:update" }] }, { url: 5 }, "/odd"],
  });
  await operator("POST", `/${id}/export`, {});
  await app.until(({ calls }) => calls.length === 1, 20_000);
  expect(app.calls[0]?.path).toBe("/batch");
});

test("the secret of a connector is not stored with the job that calls it", async () => {
  const { app, id, secret } = await installed({ tags: ["batch-accounts"], subscriptions: [] });
  await operator("POST", `/${id}/export`, { object: "accounts" });
  await app.until(({ calls }) => calls.length === 1, 20_000);
  expect(app.calls[0]?.path).toBe("/batch-accounts");
  const { rows } = await muster.database.query<{ row: string }>("select j::text as row from jobs j");
  expect(rows.map(({ row }) => row).join()).not.toContain(secret);
});

test("an export that is not possible is refused", async () => {
  const { id } = await installed({ tags: ["batch"] });
  expect((await operator("POST", `/${id}/export`, { object: "accounts" })).statusCode).toBe(409);
  expect((await operator("POST", `/${id}/export`, { segment_id: "000000000000200000000000" })).statusCode).toBe(400);
  expect((await sender.call("POST", `/${id}/export`, { payload: {} })).statusCode).toBe(403);
});

test("the job of an extract that a connector asks for does not store its secret, and the call has it", async () => {
  const { app, id, secret, organization } = await installed({ tags: ["batch"], subscriptions: [] });
  const query = new URLSearchParams({ organization, id, ship: id, secret, source: "connector" });
  const connector = new Sender(muster, { id, secret });
  const payload = { url: `${app.url}/batch?${query}`, format: "json", query: {} };
  const job = (await connector.call("POST", "/extract/users", { payload })).json<{ id: string }>();
  const stored = await muster.database.query("select parameters::text as text from jobs where id = $1", [job.id]);
  expect(stored.rows[0]?.text).not.toContain(secret);
  await app.until(({ calls }) => calls.some(({ path }) => path === "/batch"));
  const call = app.calls.find(({ path }) => path === "/batch");
  expect(Object.fromEntries(call?.query ?? [])).toEqual({ organization, id, ship: id, secret, source: "connector" });
});

test("an export sends no older state than the messages that are queued before it", async () => {
  const { app, id } = await installed({ tags: ["kraken-exports"], subscriptions: [{ url: "/smart-notifier" }] });
  const user = { external_id: "u6" };
  const waiting = `select from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock' and query like '%notify_cursors%'`;
  // While messages are being queued, their lock is held.
  await muster.database.transaction(async (tx) => {
    await lockNotifyCursor(tx, muster.first.organization.id);
    await operator("POST", `/${id}/export`, {});
    await vi.waitFor(async () => {
      const isWaiting = (await muster.database.query(waiting)).rowCount !== 0;
      expect(isWaiting || app.userMessages.length > 0).toBe(true);
    }, PATIENCE);
    await sender.send([sender.traits({ user }, { late: true })]);
    await vi.waitFor(async () => expect(await sender.user(user)).toMatchObject({ traits_late: true }), PATIENCE);
  });
  const exported = () =>
    app.notifications
      .filter((notification) => notification.is_export)
      .flatMap((notification) => notification.messages as UserUpdateMessage[])
      .find((message) => message.user.external_id === "u6");
  await app.until(() => exported() !== undefined);
  expect(exported()?.user).toMatchObject({ traits_late: true });
});
