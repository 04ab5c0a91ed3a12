import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { PATIENCE } from "../testing/bulk.js";
import { type ConnectorApp, NEXT, type Respond, smartManifest } from "../testing/connector-app.js";
import { DeliveryKit } from "../testing/delivery-kit.js";
import type { Sender } from "../testing/sender.js";

const ONLY_USERS = {
  subscriptions: [{ url: "/smart-notifier", conditions: { channels: { only: ["user:update"] } } }],
};
/** Asks for the same messages again, soon. */
const RETRY = { flow_control: { type: "retry", in: 1 } };
const DAY_MS = 24 * 3_600_000;

let kit: DeliveryKit;
let sender: Sender;

/** By how much the clock of the server is ahead. */
let aheadMs = 0;

beforeAll(async () => {
  const trueTime = Date.now;
  vi.spyOn(Date, "now").mockImplementation(() => trueTime() + aheadMs);
  kit = await DeliveryKit.open({ DELIVERY_RETRY_MS: "2" });
  ({ sender } = kit);
});
afterAll(async () => {
  vi.restoreAllMocks();
  await kit.close();
});
afterEach(async () => {
  aheadMs = 0;
  await kit.removeConnectors();
});

const installed = (respond: Respond) => kit.install(smartManifest(ONLY_USERS), respond);

async function lettersOf(id: string) {
  const answer = await kit.operator("GET", `/dead_letters?connector_id=${id}`);
  return answer.json<{ id: number; entity_id: string; reason: string; attempts: number }[]>();
}

/** Lets days pass by the clock of the server, counted from the start of the test. */
function passDays(days: number): void {
  aheadMs = days * DAY_MS;
}

const retriesTo = (app: ConnectorApp) => app.calls.map(({ body }) => (body.kraken as { retries: number }).retries);

test("a notification says how many attempts at its messages were made before, whatever became of them", async () => {
  const answers = [() => RETRY, 500, 503, () => NEXT];
  const { app } = await installed((_call, response) => {
    const answer = answers[app.calls.length - 1];
    if (typeof answer === "number") return response.writeHead(answer).end() && undefined;
    return answer?.() ?? NEXT;
  });
  await sender.send([sender.traits({ user: { external_id: "counted" } }, { a: 1 })]);
  await app.until(({ calls }) => calls.length === 4);
  await sender.send([sender.traits({ user: { external_id: "counted" } }, { a: 2 })]);
  await app.until(({ calls }) => calls.length === 5);
  expect(retriesTo(app)).toEqual([0, 1, 2, 3, 0]);
});

test("the attempts at a message do not count for another one that takes its place in the queue", async () => {
  const { app, id } = await installed((call) => (call.text.includes('"dropped"') ? RETRY : NEXT));
  const put = (payload: object) => kit.operator("PUT", `/${id}`, payload);
  await sender.send([sender.traits({ user: { external_id: "dropped" } }, { a: 1 })]);
  await app.until(({ calls }) => calls.length >= 3);
  await put({ enabled: false, when_disabled: "drop" });
  await put({ enabled: true });
  await sender.send([sender.traits({ user: { external_id: "next" } }, { a: 1 })]);
  await app.until(({ userMessages }) => userMessages.some(({ user }) => user.external_id === "next"));
  expect(retriesTo(app).at(-1)).toBe(0);
});

test("a message that a connector asks for a hundred times and for a day becomes a dead letter, and the queue goes on", async () => {
  const { app, id } = await installed((call) => (call.text.includes('"stuck"') ? RETRY : NEXT));
  await sender.settle([sender.traits({ user: { external_id: "stuck" } }, { a: 1 })]);
  await sender.send([sender.traits({ user: { external_id: "behind" } }, { a: 1 })]);
  await app.until(({ calls }) => calls.length >= 3);
  passDays(1);
  await app.until(
    ({ calls }) => calls.some(({ text }) => text.includes('"behind"') && !text.includes('"stuck"')),
    25_000,
  );
  expect(await lettersOf(id)).toMatchObject([
    {
      entity_id: (await sender.user({ external_id: "stuck" })).id,
      attempts: 100,
      reason: "It asked every time to get the message later.",
    },
  ]);
  expect(retriesTo(app).slice(0, 100)).toEqual(Array.from({ length: 100 }, (_, n) => n));
});

test("a message that waits for the settings of its connector is kept for a week", async () => {
  // What the library answers to an error in the settings, with a long pause.
  const { app, id } = await installed((call, response) =>
    call.text.includes('"unset"')
      ? response
          .writeHead(503)
          .end('{"flow_control":{"type":"retry","in":1},"errors":[{"code":"ERR_CONFIGURATION"}]}') && undefined
      : NEXT,
  );
  passDays(6);
  await sender.send([sender.traits({ user: { external_id: "unset" } }, { a: 1 })]);
  await app.until(({ calls }) => calls.length >= 3);
  expect(await lettersOf(id)).toEqual([]);
  passDays(8);
  await vi.waitFor(async () => {
    expect(await lettersOf(id)).toMatchObject([{ reason: "It answered with status 503." }]);
  }, PATIENCE);
  await sender.send([sender.traits({ user: { external_id: "later" } }, { a: 1 })]);
  await app.until(({ userMessages }) => userMessages.some(({ user }) => user.external_id === "later"), 25_000);
});

test("the messages around the one that makes a connector ask again are delivered", async () => {
  const { id } = await installed((call) => {
    if (!call.text.includes('"around-5"')) return NEXT;
    if ((call.body.messages as unknown[]).length === 1) passDays(1);
    return RETRY;
  });
  await sender.send(
    Array.from({ length: 12 }, (_, n) => sender.traits({ user: { external_id: `around-${n}` } }, { n })),
  );
  await vi.waitFor(async () => {
    const delivery = (await kit.operator("GET", `/${id}/delivery`)).json();
    expect(delivery).toMatchObject({ queued_messages: 0, sent_messages: 11, dead_letters: 1 });
  }, PATIENCE);
});

test("a message is not given up before a day is over, however often a connector asks for it again", async () => {
  let isReady = false;
  const { app, id } = await installed(() => (isReady ? NEXT : RETRY));
  await sender.send([sender.traits({ user: { external_id: "patient" } }, { a: 1 })]);
  await app.until(({ calls }) => calls.length >= 110, 25_000);
  isReady = true;
  await vi.waitFor(async () => {
    const delivery = (await kit.operator("GET", `/${id}/delivery`)).json();
    expect(delivery).toMatchObject({ queued_messages: 0, sent_messages: 1, dead_letters: 0 });
  }, PATIENCE);
});
