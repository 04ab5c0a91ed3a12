import type { DeadLetter, DeadLetterDetails, DeadLetterGroup } from "@muster/protocol/api/dead-letters";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { PATIENCE } from "../../testing/bulk.js";
import { ConnectorApp, NEXT, smartManifest } from "../../testing/connector-app.js";
import { everythingStored } from "../../testing/everything-stored.js";
import { Sender } from "../../testing/sender.js";
import { signInAs } from "../../testing/signed-in.js";
import { openTestServer, type TestServer } from "../../testing/test-server.js";

const MANIFEST = smartManifest({
  subscriptions: [{ url: "/smart-notifier", conditions: { channels: { only: ["user:update"] } } }],
});

let server: TestServer;
let sender: Sender;
let app: ConnectorApp;
/** What the app refuses, by a text of the message, with the sentence that it answers. */
const refusals = new Map<string, string>();
beforeAll(async () => {
  server = await openTestServer({ DELIVERY_RETRY_MS: "2", DELIVERY_ATTEMPTS: "1" });
  await server.listen();
  sender = new Sender(server);
  app = await ConnectorApp.open(MANIFEST, ({ body }, response) => {
    const sent = JSON.stringify(body.messages);
    const problem = [...refusals].find(([text]) => sent.includes(text))?.[1];
    if (problem === undefined) return NEXT;
    response.writeHead(422).end(JSON.stringify({ message: problem }));
    return undefined;
  });
  await app.install(server);
  refusals.set('"traits_mobile":"none"', "The phone number is missing.");
  refusals.set('"traits_list":"old"', "There is no such list.");
  await sender.settle([
    ...[1, 2, 3].map((number) => sender.traits({ user: { email: `p${number}@example.com` } }, { mobile: "none" })),
    sender.traits({ user: { email: "list@example.com" } }, { list: "old" }),
  ]);
  await vi.waitUntil(async () => (await letters()).length === 4, PATIENCE);
});
afterAll(async () => {
  await server.close();
  await app.close();
});

async function call<Answer>(method: "GET" | "POST" | "PUT", path: string, payload?: object) {
  const url = `/api/v1/dead_letters${path}`;
  const answer = await server.app.inject({ method, url, headers: server.operatorHeaders, ...(payload && { payload }) });
  return { status: answer.statusCode, body: answer.json<Answer>() };
}

const letters = async () => (await call<DeadLetter[]>("GET", "")).body;

async function letterAbout(email: string): Promise<DeadLetterDetails> {
  const { id } = await sender.user({ email });
  const found = (await letters()).find(({ entity_id }) => entity_id === id);
  return (await call<DeadLetterDetails>("GET", `/${found?.id}`)).body;
}

test("dead letters are grouped by their cause, with exact counts", async () => {
  const { body } = await call<DeadLetterGroup[]>("GET", "/groups");
  expect(body.map(({ cause, letters: count }) => [cause, count])).toEqual([
    ["It answered with status 422. The phone number is missing.", 3],
    ["It answered with status 422. There is no such list.", 1],
  ]);
});

test("a message can be edited, and is then sent as it was edited", async () => {
  const letter = await letterAbout("list@example.com");
  const message = JSON.parse(JSON.stringify(letter.message).replaceAll('"old"', '"new"')) as object;
  const edited = await call<DeadLetterDetails>("PUT", `/${letter.id}`, { message });
  expect([edited.status, edited.body]).toMatchObject([200, { edited_by: "operator", message }]);
  app.calls.length = 0;
  const retried = await call("POST", "/retry", { ids: [letter.id] });
  expect(retried.body).toEqual({ retried: 1 });
  await app.until(({ userMessages }) => userMessages.length === 1);
  expect(app.userMessages[0]?.user).toMatchObject({ email: "list@example.com", traits_list: "new" });
  expect(await sender.user({ email: "list@example.com" })).toMatchObject({ traits_list: "old" });
});

test("a letter names the member who has edited it, and the audit log has nothing of its message", async () => {
  const { id, message } = await letterAbout("p2@example.com");
  const { headers } = await signInAs(server, "editor");
  const payload = { message };
  const answer = await server.app.inject({ method: "PUT", url: `/api/v1/dead_letters/${id}`, headers, payload });
  expect(answer.json()).toMatchObject({ edited_by: "The editor <editor@example.com>" });
  const log = (await everythingStored(server)).filter(({ where }) => where === "audit_log").map(({ text }) => text);
  expect(log.join()).toContain("PUT /api/v1/dead_letters/:id");
  expect(log.join()).not.toContain("p2@example.com");
});

test.each([
  ["about somebody else", { entity: { id: "0198c2a4f1d010a1b2c3d4e5" } }, "keep the `id` of its `entity`"],
  ["with another id", { message_id: "x" }, "keep its `message_id`"],
  ["without its changes", { changes: {} }, "must have `changes`"],
  ["with events that have no name", { events: [{}] }, "list of `events`"],
])("a message cannot be edited to one %s", async (_name, change, problem) => {
  const { id, message } = await letterAbout("p1@example.com");
  const { status, body } = await call<{ message: string }>("PUT", `/${id}`, { message: { ...message, ...change } });
  expect([status, body.message]).toEqual([400, expect.stringContaining(problem)]);
});

test("a group is sent again step by step, without letters that nobody has seen", async () => {
  const { body } = await call<DeadLetterGroup[]>("GET", "/groups");
  const { cause, newest_id: upTo, letters: count } = body[0]!;
  await sender.settle([sender.traits({ user: { email: "unseen@example.com" } }, { mobile: "none" })]);
  await vi.waitUntil(async () => (await letters()).length === count + 1, PATIENCE);
  refusals.clear();
  const group = { cause, up_to: upTo, limit: 2 };
  expect((await call("POST", "/retry", group)).body).toEqual({ retried: 2, left: 1 });
  expect((await call("POST", "/retry", group)).body).toEqual({ retried: 1, left: 0 });
  expect((await call("POST", "/discard", { cause, up_to: upTo })).body).toEqual({ discarded: 0 });
  expect(await letters()).toHaveLength(1);
  expect((await call("POST", "/discard", { cause })).body).toEqual({ discarded: 1 });
});
