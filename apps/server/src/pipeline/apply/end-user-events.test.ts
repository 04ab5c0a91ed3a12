import { createBrand } from "@muster/protocol";
import pg from "pg";
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { Sender, type Who } from "../../testing/sender.js";
import { openTestServer, type TestServer } from "../../testing/test-server.js";

const position = createBrand("Svc").headers.position.toLowerCase();

let server: TestServer;
let sender: Sender;
beforeAll(async () => {
  server = await openTestServer();
  sender = new Sender(server);
});
afterAll(() => server.close());

/** Tracks an event with the token of an end user, and waits until it is searchable. */
async function track(who: Who, body: Record<string, unknown>, headers: Record<string, string> = {}): Promise<void> {
  const answer = await sender.callAs(who, "POST", "/t", { payload: body, headers });
  expect(answer.statusCode).toBe(204);
  await sender.waitFor(String(answer.headers[position]));
}

async function alias(who: Who, anonymous_id: string): Promise<void> {
  const answer = await sender.callAs(who, "POST", "/me/alias", { payload: { anonymous_id } });
  await sender.waitFor(String(answer.headers[position]));
}

/** The names and notes of the stored events of a user. */
async function eventsOf(external_id: string): Promise<[string, unknown][]> {
  const { id } = await sender.user({ external_id });
  return (await sender.events({ user: id })).map(({ event, properties }) => [event, properties.note]);
}

const end = (external_id: string): Who => ({ user: { external_id } });
const may = "2026-05-01T00:00:00Z";
const june = "2026-06-01T00:00:00Z";

test("an end user's event id changes no event of another end user", async () => {
  const order = { event: "Ordered", event_id: "o-1", created_at: may };
  await track(end("ann"), { ...order, properties: { note: "ann's" } });
  await track(end("bob"), { ...order, properties: { note: "bob's" } });
  expect(await eventsOf("ann")).toEqual([["Ordered", "ann's"]]);
  expect(await eventsOf("bob")).toEqual([["Ordered", "bob's"]]);
});

test("an end user's event id changes no event that a connector has sent, and the other way round", async () => {
  const order = { event_id: "o-2", created_at: may };
  await sender.settle([sender.track(end("cay"), "Ordered", { ...order, properties: { note: "connector's" } })]);
  await track(end("dan"), { event: "Ordered", ...order, properties: { note: "dan's" } });
  await track(end("cay"), { event: "Faked", ...order, properties: { note: "cay's" } });
  await sender.settle([sender.track(end("cay"), "Ordered", { ...order, properties: { note: "corrected" } })]);
  expect((await eventsOf("cay")).sort()).toEqual([
    ["Faked", "cay's"],
    ["Ordered", "corrected"],
  ]);
  expect(await eventsOf("dan")).toEqual([["Ordered", "dan's"]]);
});

test("an end user overwrites its own event, also its time and its name, and a repeated call makes no second event", async () => {
  const event = { event: "Shown", event_id: "o-3", created_at: may, properties: { note: "first" } };
  await track(end("eve"), event);
  await track(end("eve"), event);
  expect(await eventsOf("eve")).toEqual([["Shown", "first"]]);
  await track(end("eve"), { ...event, created_at: june, properties: { note: "moved" } });
  expect(await eventsOf("eve")).toEqual([["Shown", "moved"]]);
  await track(end("eve"), { ...event, event: "Hidden", created_at: june, properties: { note: "renamed" } });
  expect(await eventsOf("eve")).toEqual([["Hidden", "renamed"]]);
});

test("an event of a browser is not doubled when it is sent again after the browser's user was merged", async () => {
  const browser = { user: { anonymous_id: "fay-browser" } };
  const event = { event: "Viewed", event_id: "o-4", created_at: may };
  await track(browser, { ...event, properties: { note: "anonymous" } });
  await track(end("fay"), { event: "Signed up", properties: {} });
  await alias(end("fay"), "fay-browser");
  await track(browser, { ...event, properties: { note: "again" } });
  await track(end("fay"), { ...event, properties: { note: "as fay" } });
  expect((await eventsOf("fay")).sort()).toEqual([
    ["Signed up", undefined],
    ["Viewed", "as fay"],
  ]);
});

test("two events with the same id stay two when their users become one, and each can still be sent again", async () => {
  const browser = { user: { anonymous_id: "gus-browser" } };
  await track(browser, { event: "Viewed", event_id: "1", properties: { note: "page" } });
  await track(end("gus"), { event: "Ordered", event_id: "1", properties: { note: "order" } });
  await alias(end("gus"), "gus-browser");
  const both = [
    ["Ordered", "order"],
    ["Viewed", "page"],
  ];
  expect((await eventsOf("gus")).sort()).toEqual(both);
  await track(browser, { event: "Viewed", event_id: "1", properties: { note: "page" } });
  await track(end("gus"), { event: "Ordered", event_id: "1", properties: { note: "order" } });
  expect((await eventsOf("gus")).sort()).toEqual(both);
});

test("calls that are applied together with the merge make no second event", async () => {
  const browser = { user: { anonymous_id: "hal-browser" } };
  const send = (who: Who, path: string, payload: object) => sender.callAs(who, "POST", path, { payload });
  const event = { event: "Viewed", event_id: "o-5", created_at: may, properties: { note: "same" } };
  const answers = await Promise.all([
    send(browser, "/t", event),
    send(end("hal"), "/me/alias", { anonymous_id: "hal-browser" }),
    send(browser, "/t", event),
  ]);
  for (const { headers } of answers) await sender.waitFor(String(headers[position]));
  await track(end("hal"), event);
  await track(browser, event);
  expect(await eventsOf("hal")).toEqual([["Viewed", "same"]]);
});

test("a call with an Idempotency-Key is one event, also when its receipt is no longer kept", async () => {
  const key = { "idempotency-key": "once" };
  const event = { event: "Keyed", created_at: may };
  await track(end("ida"), event, key);
  await server.database.query("delete from ingest_receipts");
  await track(end("ida"), event, key);
  expect(await eventsOf("ida")).toHaveLength(1);
});

test("the id of an end user's event cannot be computed from what the end user sends", async () => {
  const ids = async (event_id: string) =>
    (await sender.events({ event: "Guessed" })).filter((event) => event.event_id === event_id).map(({ id }) => id);
  await track(end("jon"), { event: "Guessed", event_id: "o-6", created_at: may });
  const [first] = await ids("o-6");
  const { id } = await sender.user({ external_id: "jon" });
  expect((await sender.call("DELETE", `/${id}`)).statusCode).toBe(200);
  await expect.poll(() => sender.isKnown({ external_id: "jon" })).toBe(false);
  await track(end("jon"), { event: "Guessed", event_id: "o-6", created_at: may });
  const again = (await ids("o-6")).filter((found) => found !== first);
  expect(again).toHaveLength(1);
});

test("the events of a user with many former ids are looked up without pairing each event with each id", async () => {
  await track(end("kim"), { event: "Viewed" });
  const { id } = await sender.user({ external_id: "kim" });
  await server.database.query(
    `insert into merges (organization_id, loser_id, survivor_id, loser_state, survivor_state)
     select $1, 'former-' || n, $2, '{}', '{}' from generate_series(1, 300) n`,
    [server.first.organization.id, id],
  );
  const queries = vi.spyOn(pg.Client.prototype, "query");
  onTestFinished(() => queries.mockRestore());
  const viewed = (index: number) =>
    sender.callAs(end("kim"), "POST", "/t", { payload: { event: "Viewed", event_id: `view-${index}` } });
  const answers = await Promise.all(Array.from({ length: 30 }, (_, index) => viewed(index)));
  for (const { headers } of answers) await sender.waitFor(String(headers[position]));
  const values = queries.mock.calls
    .map(([query]) => query as unknown as { text?: string; values?: unknown[] })
    .flatMap(({ text, values = [] }) => (text?.includes("end_user_event_keys") ? values : []));
  expect(values.length).toBeGreaterThan(0);
  for (const value of values) expect(Array.isArray(value) ? value.length : 0).toBeLessThanOrEqual(301);
  expect(await eventsOf("kim")).toHaveLength(31);
});
