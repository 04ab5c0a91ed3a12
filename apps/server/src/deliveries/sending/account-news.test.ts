import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { PATIENCE } from "../../testing/bulk.js";
import { smartManifest } from "../../testing/connector-app.js";
import { DeliveryKit } from "../../testing/delivery-kit.js";
import { Sender } from "../../testing/sender.js";
import { createTestDatabase } from "../../testing/test-database.js";
import type { TestServer } from "../../testing/test-server.js";

const ONLY_USERS = { url: "/smart-notifier", conditions: { channels: { only: ["user:update"] } } };

let kit: DeliveryKit;
let muster: TestServer;
let sender: Sender;

beforeAll(async () => {
  kit = await DeliveryKit.open();
  ({ muster, sender } = kit);
});
afterAll(() => kit.close());
afterEach(() => kit.removeConnectors());

const operator: DeliveryKit["operator"] = (...call) => kit.operator(...call);

const installed = (parts: Record<string, unknown> = {}, on = kit) =>
  on.install(smartManifest({ subscriptions: [ONLY_USERS], ...parts }));

const changed = (account: string, attributes: Record<string, unknown>, by = sender) =>
  by.settle([by.traits({ account: { external_id: account }, subject: "account" }, attributes)]);

const link = (account: string, users: readonly string[], by = sender) =>
  by.settle(
    users.map((name) => by.traits({ user: { external_id: name }, account: { external_id: account } }, { a: 1 })),
  );

/** Ends the time in which further changes of an account are added to the first one. */
async function hurry(server = muster): Promise<void> {
  await server.database.query("update account_news set due_at = now()");
}

test("a change of an account alone makes no messages about its users, unless the connector is switched to get them", async () => {
  const { app, id } = await installed();
  await link("quiet", ["quiet-user"]);
  await changed("quiet", { mrr: 1 });
  expect((await muster.database.query("select from account_news")).rows).toEqual([]);
  expect((await operator("GET", `/${id}`)).json()).toMatchObject({ notify_users_of_account: false });
  await link("quiet", ["last"]);
  await app.until(({ userMessages }) => userMessages.some(({ user }) => user.external_id === "last"));
  expect(app.userMessages.map(({ user }) => user.external_id)).toEqual(["quiet-user", "last"]);
});

test("a switched connector gets one message about each user for several changes of the account, from the first value to the last", async () => {
  const { app, id } = await installed();
  const put = await operator("PUT", `/${id}`, { notify_users_of_account: true });
  expect([put.statusCode, put.json().notify_users_of_account]).toEqual([200, true]);
  await changed("acme", { mrr: 10, industry: "ships" });
  await link("acme", ["ann", "bob"]);
  await app.until(({ userMessages }) => userMessages.length === 2);
  await changed("acme", { mrr: 20 });
  await changed("acme", { mrr: 30, industry: "boats" });
  await changed("acme", { industry: "ships" });
  await hurry();
  await app.until(({ userMessages }) => userMessages.length === 4);
  for (const message of app.userMessages.slice(2)) {
    expect(message).toMatchObject({
      message_id: expect.any(String),
      account: { external_id: "acme", mrr: 30, industry: "ships" },
      events: [],
      matchesFilter: true,
    });
    expect(message.changes).toEqual({
      is_new: false,
      user: {},
      account: { mrr: [10, 30] },
      segments: { entered: [], left: [] },
      account_segments: { entered: [], left: [] },
    });
  }
  expect(
    app.userMessages
      .slice(2)
      .map(({ user }) => user.external_id)
      .sort(),
  ).toEqual(["ann", "bob"]);
  expect((await muster.database.query("select from account_news")).rows).toEqual([]);
});

test("the filter by segments holds for these messages too", async () => {
  const query = { term: { "traits_tier.raw": "gold" } };
  const segment = await sender.call("POST", "/users_segments", { payload: { name: "Gold", query, predicate: {} } });
  const { id: segmentId } = segment.json<{ id: string }>();
  const { app, id } = await installed({
    private_settings: [{ name: "segments", type: "array", format: "segment", default: [] }],
    subscriptions: [{ ...ONLY_USERS, conditions: { segments: { "user:update": ["private_settings.segments"] } } }],
  });
  await operator("PUT", `/${id}`, { notify_users_of_account: true, private_settings: { segments: [segmentId] } });
  await link("filtered", ["gold-user", "other-user"]);
  await sender.settle([sender.traits({ user: { external_id: "gold-user" } }, { tier: "gold" })]);
  await app.until(({ userMessages }) => userMessages.length === 1);
  await changed("filtered", { mrr: 5 });
  await hurry();
  await app.until(({ userMessages }) => userMessages.length === 2);
  await vi.waitFor(
    async () => expect((await muster.database.query("select from account_news")).rows).toEqual([]),
    PATIENCE,
  );
  expect(app.userMessages.map(({ user }) => user.external_id)).toEqual(["gold-user", "gold-user"]);
});

test("many users are told page by page, and a restart in the middle skips nobody and tells nobody twice", async () => {
  const environment = { DATABASE_URL: await createTestDatabase(), SECRET_KEY: "kept over the restart" };
  const first = await DeliveryKit.open(environment);
  const own = first.sender;
  const { app, id } = await installed({}, first);
  const users = Array.from({ length: 250 }, (_, n) => `many-${n}`);
  await link("large", users, own);
  await app.until(({ userMessages }) => userMessages.length === 250);
  await first.operator("PUT", `/${id}`, { notify_users_of_account: true });
  await changed("large", { mrr: 5 }, own);
  await hurry(first.muster);
  const told = () => app.userMessages.filter(({ changes }) => "mrr" in changes.account);
  await app.until(() => told().length > 0);
  await first.close();
  expect(told().length).toBeLessThan(250);

  const second = await DeliveryKit.open(environment);
  const toldUsers = () => new Set(told().map(({ user }) => user.external_id));
  await app.until(() => toldUsers().size === 250);
  // A message that is sent again has the id of its first time.
  expect(new Set(told().map(({ message_id }) => message_id)).size).toBe(250);
  await second.close();
  await app.close();
});

test("an account with many users does not hold up the others, and they are told a page a second", async () => {
  const { app, id } = await installed();
  await link(
    "huge",
    Array.from({ length: 450 }, (_, n) => `huge-${n}`),
  );
  await link("small", ["small-user"]);
  await app.until(({ userMessages }) => userMessages.length === 451);
  await operator("PUT", `/${id}`, { notify_users_of_account: true });
  await changed("huge", { mrr: 1 });
  await changed("small", { mrr: 1 });
  const hurriedAt = performance.now();
  await hurry();
  const told = () => app.userMessages.slice(451).map(({ user }) => user.external_id);
  await app.until(() => told().includes("small-user"));
  expect(told().length).toBeLessThan(450);
  await app.until(() => told().length === 451);
  // The users of the large account fill five pages.
  expect(performance.now() - hurriedAt).toBeGreaterThan(3_900);
});

test("what waits about an account goes when the account is erased, and when the connector is switched back", async () => {
  const { id, secret } = await installed();
  const rows = async () => (await muster.database.query("select from account_news where connector_id = $1", [id])).rows;
  // A connector may switch itself.
  const itself = new Sender(muster, { id, secret });
  expect((await itself.call("PUT", "/app", { payload: { notify_users_of_account: true } })).statusCode).toBe(200);
  await link("gone", ["member"]);
  await changed("gone", { mrr: 1 });
  expect(await rows()).toHaveLength(1);
  await sender.settle([sender.entry("incinerate", { account: { external_id: "gone" }, subject: "account" }, {})]);
  expect(await rows()).toEqual([]);
  await link("kept", ["member"]);
  await changed("kept", { mrr: 1 });
  expect(await rows()).toHaveLength(1);
  await operator("PUT", `/${id}`, { notify_users_of_account: false });
  expect(await rows()).toEqual([]);
  const refused = await operator("PUT", `/${id}`, { notify_users_of_account: "yes" });
  expect([refused.statusCode, refused.json().error.details]).toEqual([
    400,
    [{ path: "body.notify_users_of_account", message: "must be a boolean" }],
  ]);
});
