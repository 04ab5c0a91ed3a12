import { createId, type MessageReport, type UserUpdateMessage } from "@muster/protocol";
import type { ConnectorTrace, Delivery, DeliveryFigures } from "@muster/protocol/api/deliveries";
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { PATIENCE } from "../../testing/bulk.js";
import { ConnectorApp, NEXT, smartManifest } from "../../testing/connector-app.js";
import { holdNewMinute } from "../../testing/new-minute.js";
import { Sender } from "../../testing/sender.js";
import { openTestServer, type TestServer } from "../../testing/test-server.js";

const MANIFEST = smartManifest({
  subscriptions: [{ url: "/smart-notifier", conditions: { channels: { only: ["user:update"] } } }],
});

let server: TestServer;
let sender: Sender;
let app: ConnectorApp;
let connector: { id: string; secret: string };
beforeAll(async () => {
  server = await openTestServer({ DELIVERY_RETRY_MS: "2", DELIVERY_ATTEMPTS: "2" });
  await server.listen();
  sender = new Sender(server);
  app = await ConnectorApp.open(MANIFEST, ({ text, body }, response) => {
    if (text.includes('"at-service@example.com"')) {
      const { messages } = body as unknown as { messages: UserUpdateMessage[] };
      return { ...NEXT, results: messages.flatMap((message) => reportAbout(message) ?? []) };
    }
    if (text.includes('"later@example.com"')) return { flow_control: { type: "next", in: 60_000 } };
    if (!text.includes('"refused@example.com"')) return NEXT;
    const problem = `The list 48213 does not take refused@example.com, said ${connector.secret}.`;
    response.writeHead(422).end(JSON.stringify({ error: { message: problem } }));
    return undefined;
  });
  connector = await app.install(server);
});
afterAll(async () => {
  await server.close();
  await app.close();
});

/** What the app reports about the message: the service refuses one user, and the app is silent about another. */
function reportAbout({ message_id, user: { email } }: UserUpdateMessage): MessageReport | undefined {
  if (email === "silent@example.com") return undefined;
  if (String(email).startsWith("working")) return { message_id, result: "retried", status: 202 };
  if (email === "nothing@example.com") return { message_id, result: "skipped", reason: "Nothing to do." };
  if (email !== "at-service@example.com") return { message_id, result: "accepted", status: 201 };
  const body = JSON.stringify({ error: `No list for ${email}, said ${connector.secret}.` });
  return { message_id, result: "refused", status: 400, body };
}

async function read<Answer>(path: string): Promise<Answer> {
  const url = `/api/v1/${connector.id}/delivery${path}`;
  const answer = await server.app.inject({ url, headers: server.operatorHeaders });
  expect([answer.statusCode, answer.body]).toEqual([200, expect.any(String)]);
  return answer.json<Answer>();
}

test("the figures count what became of messages, from the change to the end", async () => {
  await sender.send([sender.traits({ user: { email: "ann@example.com" } }, { a: 1 })]);
  await app.until(({ userMessages }) => userMessages.length === 1);
  await sender.send([sender.traits({ user: { email: "refused@example.com" } }, { a: 1 })]);
  const figures = await vi.waitUntil(async () => {
    const found = await read<DeliveryFigures>("/figures?range=hour");
    return found.total.dead === 1 && found;
  }, PATIENCE);
  expect(figures.total).toMatchObject({
    considered: 2,
    addressed: 2,
    queued: 2,
    calls: 3,
    failed_calls: 2,
    sent: 3,
    delivered: 1,
    retried: 1,
    dead: 1,
    lag_ms: expect.any(Number),
  });
  expect(figures.points).toHaveLength(60);
  expect(figures.points.reduce((sum, { delivered }) => sum + delivered, 0)).toBe(1);
  expect(figures.causes).toEqual([
    {
      cause: "It answered with status 422. The list … does not take …, said [private].",
      status: 422,
      calls: 2,
      messages: 2,
      last_at: expect.any(String),
    },
  ]);
  expect((await read<DeliveryFigures>("/figures?range=week")).total).toEqual(figures.total);
});

test("what a connector was sent can be searched by user and by result", async () => {
  const { id } = await sender.user({ email: "ann@example.com" });
  const [trace] = await vi.waitUntil(async () => {
    const found = await read<ConnectorTrace[]>(`/traces?entity_id=${id}`);
    return found.length === 1 && found;
  }, PATIENCE);
  expect(trace).toMatchObject({ entity_id: id, result: "delivered", channel: "user:update", status: 200 });
  const failed = await vi.waitUntil(async () => {
    const found = await read<ConnectorTrace[]>("/traces?result=failed");
    return found.length === 2 && found;
  }, PATIENCE);
  expect(failed.map(({ result, reason }) => [result, reason])).toEqual([
    ["refused", "It answered with status 422."],
    ["refused", "It answered with status 422."],
  ]);
});

test("some messages are kept as they were sent, with the answer and without secrets", async () => {
  const [trace] = await read<ConnectorTrace[]>("/traces?result=failed");
  const path = `/messages/${trace?.notification_id}/${trace?.message_id}`;
  const kept = await vi.waitUntil(async () => {
    const url = `/api/v1/${connector.id}/delivery${path}`;
    const answer = await server.app.inject({ url, headers: server.operatorHeaders });
    return answer.statusCode === 200 && answer.json<{ url: string; request: string; answer: string }>();
  }, PATIENCE);
  expect(kept.url).toBe(`${app.url}/smart-notifier`);
  expect(JSON.parse(kept.request)).toMatchObject({ user: { email: "refused@example.com" } });
  expect(kept.answer).toContain("does not take refused@example.com, said [private].");
  expect(JSON.stringify(kept)).not.toContain(connector.secret);
});

test("what the service answered is the result of each message, everywhere", async () => {
  // Calls hold one message after a refusal, and more again after a delivery.
  await sender.send([sender.traits({ user: { email: "ann@example.com" } }, { b: 1 })]);
  await app.until(({ userMessages }) => userMessages.at(-1)?.user.traits_b === 1);
  const before = await vi.waitUntil(async () => {
    const { total } = await read<DeliveryFigures>("/figures?range=hour");
    return total.delivered === 2 && total;
  }, PATIENCE);
  const emails = ["at-service", "fine", "nothing", "silent"].map((name) => `${name}@example.com`);
  await sender.send(emails.map((email) => sender.traits({ user: { email } }, { b: 1 })));
  const { total, causes } = await vi.waitUntil(async () => {
    const found = await read<DeliveryFigures>("/figures?range=hour");
    return found.total.refused === 1 && found;
  }, PATIENCE);
  const more = (name: "delivered" | "skipped" | "unreported" | "refused" | "dead") => total[name] - before[name];
  expect([more("delivered"), more("skipped"), more("unreported"), more("refused"), more("dead")]).toEqual([
    1, 1, 1, 1, 1,
  ]);
  expect(causes[0]).toMatchObject({
    cause: "The service refused it with status 400. No list for …, said [private].",
    status: 400,
    calls: 1,
    messages: 1,
  });

  const traces = await vi.waitUntil(async () => {
    const { id } = await sender.user({ email: "at-service@example.com" });
    const found = await read<ConnectorTrace[]>(`/traces?entity_id=${id}`);
    return found.length === 1 && found;
  }, PATIENCE);
  expect(traces[0]).toMatchObject({ result: "refused", status: 400, reported: true });
  expect(traces[0]?.body).toBe('{"error":"No list for at-service@example.com, said [private]."}');
  const resultOf = async (query: string) =>
    (await read<ConnectorTrace[]>(`/traces?${query}`)).map(({ result }) => result);
  expect(await resultOf("result=skipped")).toEqual(["skipped"]);
  expect(await resultOf("result=open")).toEqual(["unreported"]);

  const letters = `/api/v1/dead_letters?connector_id=${connector.id}&entity_id=${traces[0]?.entity_id}`;
  const [letter] = (await server.app.inject({ url: letters, headers: server.operatorHeaders })).json();
  const url = `/api/v1/dead_letters/${letter.id}`;
  const details = (await server.app.inject({ url, headers: server.operatorHeaders })).json();
  expect(details).toMatchObject({ cause: causes[0]?.cause, attempts: 1, answer: { status: 400 } });
  expect((await read<Delivery>("")).last_error).toBe("The service refused it with status 400.");
});

test("a test is sent to the connector alone, about somebody real, and shows what became of it", async () => {
  const call = async (method: "GET" | "POST", path: string, payload?: object) => {
    const url = `/api/v1/${connector.id}/delivery/${path}`;
    const answer = await server.app.inject({
      method,
      url,
      headers: server.operatorHeaders,
      ...(payload ? { payload } : {}),
    });
    return { status: answer.statusCode, body: answer.json() };
  };
  const { id } = await sender.user({ email: "at-service@example.com" });
  const before = await read<Delivery>("");
  const sample = await call("GET", `sample?entity_id=${id}`);
  expect(sample.body).toMatchObject({
    entity_id: id,
    entity_type: "user",
    channel: "user:update",
    url: "/smart-notifier",
    message: { user: { email: "at-service@example.com", traits_b: 1 }, matchesFilter: true },
    passes_filter: true,
  });
  const tested = await call("POST", "test", { entity_id: id });
  expect(tested.body).toMatchObject({
    entity_id: id,
    result: "refused",
    reported: true,
    status: 400,
    body: '{"error":"No list for at-service@example.com, said [private]."}',
    answer: { status: 200, body: expect.stringContaining("results") },
  });
  const last = app.notifications.at(-1);
  expect([last?.notification_id, last?.is_export]).toEqual([tested.body.notification_id, true]);
  // Nothing is queued, kept as a dead letter or counted. The trace says what the connector was sent.
  expect(await read<Delivery>("")).toMatchObject({
    dead_letters: before.dead_letters,
    sent_messages: before.sent_messages,
  });
  await vi.waitUntil(async () => (await read<ConnectorTrace[]>(`/traces?entity_id=${id}`)).length === 2, PATIENCE);

  const somebody = await call("GET", "sample");
  expect(somebody.body).toMatchObject({ entity_type: "user", passes_filter: true });
  expect(await call("POST", "test", { entity_id: connector.id })).toMatchObject({ status: 400 });
  expect(await call("POST", "test", { entity_id: createId("user") })).toMatchObject({ status: 404 });
  const silent = await ConnectorApp.open(smartManifest({ name: "Silent", subscriptions: [] }));
  onTestFinished(() => silent.close());
  const other = await silent.install(server);
  const url = `/api/v1/${other.id}/delivery/sample`;
  const refused = await server.app.inject({ url, headers: server.operatorHeaders });
  expect([refused.statusCode, refused.json().message]).toEqual([
    409,
    "Silent has no subscription to changes of users or accounts, so it is sent no messages about them.",
  ]);
  holdNewMinute();
  const calls = Array.from({ length: 23 }, () => call("POST", "test", { entity_id: createId("user") }));
  expect((await Promise.all(calls)).filter(({ status }) => status === 429)).toHaveLength(3);
});

test("a later report settles messages that the connector tried again itself, once", async () => {
  const names = ["working-1", "working-2", "working-3", "at-service"];
  const { total: before, causes: known } = await read<DeliveryFigures>("/figures?range=hour");
  const causesBefore = known.find(({ status }) => status === 400)?.messages ?? 0;
  await sender.send(names.map((name) => sender.traits({ user: { email: `${name}@example.com` } }, { c: 1 })));
  await app.until(({ userMessages }) => userMessages.filter(({ user }) => user.traits_c === 1).length === names.length);
  const users = await Promise.all(names.map((name) => sender.user({ email: `${name}@example.com` })));
  const tracesOf = async (id: string) => read<ConnectorTrace[]>(`/traces?entity_id=${id}&per_page=1`);
  const open = await vi.waitUntil(async () => {
    const found = (await Promise.all(users.map(({ id }) => tracesOf(id)))).flat();
    const results = found.map(({ result }) => result);
    return results.filter((result) => result === "retried").length === 3 && found;
  }, PATIENCE);
  const [accepted = "", refused = "", skipped = "", final = ""] = open.map(({ message_id }) => message_id);

  const report = async (results: object[]) => {
    const url = `/api/v1/${connector.id}/delivery/results`;
    const answer = await server.app.inject({
      method: "POST",
      url,
      headers: server.operatorHeaders,
      payload: { results },
    });
    expect([answer.statusCode, answer.body]).toEqual([200, expect.any(String)]);
    return answer.json<{ settled: number; ignored: string[] }>();
  };
  const body = `No list for working-2@example.com, said ${connector.secret}.`;
  // Still trying is no result yet.
  expect(await report([{ message_id: accepted, result: "retried", reason: "In the queue." }])).toEqual({
    settled: 1,
    ignored: [],
  });
  expect((await tracesOf(users[0]!.id))[0]).toMatchObject({ result: "retried", reason: "In the queue.", status: 202 });
  const reports = [
    { message_id: accepted, result: "accepted", status: 201 },
    { message_id: refused, result: "refused", status: 400, body },
    { message_id: skipped, result: "skipped", reason: "Already there." },
    { message_id: final, result: "accepted" },
    { message_id: "of-nobody", result: "accepted" },
  ];
  const answers = await Promise.all([report(reports), report(reports)]);
  expect(answers.map(({ settled }) => settled).sort()).toEqual([0, 3]);
  expect(answers.find(({ settled }) => settled === 3)?.ignored).toEqual([final, "of-nobody"]);

  const settled = (await Promise.all(users.slice(0, 3).map(({ id }) => tracesOf(id)))).flat();
  expect(settled.map(({ result, status, reason, reported }) => [result, status, reason, reported])).toEqual([
    ["delivered", 201, "", true],
    ["refused", 400, "The service refused it with status 400.", true],
    ["skipped", 202, "Already there.", true],
  ]);
  expect(settled[1]?.body).toBe("No list for working-2@example.com, said [private].");
  const unknown = await read<ConnectorTrace[]>("/traces?result=open");
  expect(unknown.filter(({ entity_id }) => users.some(({ id }) => id === entity_id))).toEqual([]);
  const timeline = await server.app.inject({
    url: `/api/v1/${users[0]!.id}/timeline?kinds=delivery`,
    headers: server.operatorHeaders,
  });
  expect(timeline.json().items).toMatchObject([{ kind: "delivery", result: "delivered", status: 201 }]);

  const { total, causes } = await read<DeliveryFigures>("/figures?range=hour");
  const more = (name: "delivered" | "skipped" | "retried" | "refused") => total[name] - before[name];
  expect([more("delivered"), more("skipped"), more("retried"), more("refused")]).toEqual([1, 1, 0, 2]);
  expect(causes[0]).toMatchObject({
    cause: "The service refused it with status 400. No list for …, said [private].",
    // Of the call, and of the later report: a cause is counted in the hour in which it is known.
    messages: causesBefore + 2,
  });
});

test("the state says why no call is made at the moment", async () => {
  await sender.send([sender.traits({ user: { email: "later@example.com" } }, { a: 1 })]);
  const state = await vi.waitUntil(async () => {
    const found = await read<Delivery>("");
    return found.next_call_at !== null && found;
  }, PATIENCE);
  expect(state.pause_reason).toBe("The connector asked for a pause before the next call.");
});
