// @module-tag long
import { afterAll, beforeAll, expect, test } from "vitest";
import { ConnectorApp, NEXT, type Respond, smartManifest } from "../testing/connector-app.js";
import { Sender } from "../testing/sender.js";
import { openTestServer, type TestServer } from "../testing/test-server.js";

const USERS = 25;
const ROUNDS = 60;
/** Rounds that are sent before the fast connector is waited for. */
const BURST = 5;
const SLOW_SIZE = 10;

let muster: TestServer;
let sender: Sender;

beforeAll(async () => {
  // No call times out: a call that stays open is open until the test ends it.
  muster = await openTestServer({ DELIVERY_RETRY_MS: "20", DELIVERY_TIMEOUT_MS: "120000", DELIVERY_ATTEMPTS: "1000" });
  await muster.listen();
  sender = new Sender(muster);
});
afterAll(() => muster.close());

const onlyUsers = { subscriptions: [{ url: "/smart-notifier", conditions: { channels: { only: ["user:update"] } } }] };

async function installed(respond: Respond): Promise<ConnectorApp> {
  const app = await ConnectorApp.open(smartManifest(onlyUsers), respond);
  await app.install(muster);
  return app;
}

/** Changes every user once. */
async function sendRound(round: number): Promise<void> {
  await sender.send(
    Array.from({ length: USERS }, (_, user) => sender.traits({ user: { external_id: `user-${user}` } }, { round })),
  );
}

/** The changes of `round` that a connector received for each user, without repeated messages. */
function received(app: ConnectorApp): Map<string, [unknown, unknown][]> {
  const seen = new Set<string>();
  const chains = new Map<string, [unknown, unknown][]>();
  for (const { message_id, user, changes } of app.userMessages) {
    const name = String(user.external_id);
    const change = changes.user.traits_round;
    if (!change || seen.has(message_id)) continue;
    seen.add(message_id);
    chains.set(name, [...(chains.get(name) ?? []), change]);
  }
  return chains;
}

function expectAllInOrder(app: ConnectorApp): void {
  const chains = received(app);
  expect(chains.size).toBe(USERS);
  for (const chain of chains.values()) {
    // Each change begins with the value that the one before ended with: none is missing, none out of order.
    expect(chain.map(([from]) => from)).toEqual([null, ...chain.slice(0, -1).map(([, to]) => to)]);
    expect(chain.at(-1)?.[1]).toBe(ROUNDS);
  }
}

function hasRound(app: ConnectorApp, round: number): boolean {
  const chains = [...received(app).values()];
  return chains.length === USERS && chains.every((chain) => chain.at(-1)?.[1] === round);
}

test("a slow connector and a broken one neither hold up a fast one nor lose or reorder anything", async () => {
  let release = () => {};
  const isReleased = new Promise<void>((resolve) => {
    release = resolve;
  });
  const fast = await installed(() => NEXT);
  const slow = await installed(async () => {
    // Its first call stays open until it is released.
    await isReleased;
    return { flow_control: { type: "next", size: SLOW_SIZE } };
  });
  let isHealthy = false;
  const broken = await installed((_call, response) => {
    if (isHealthy) return NEXT;
    switch (broken.calls.length % 3) {
      case 1:
        return { flow_control: { type: "retry", in: 5 } };
      case 2:
        response.writeHead(500).end("broken");
        return undefined;
      default:
        response.destroy();
        return undefined;
    }
  });

  await sendRound(1);
  await slow.until(({ calls }) => calls.length === 1);
  await broken.until(({ calls }) => calls.length === 3);
  // From here on the slow connector has a call open, and the broken one fails. The fast one gets every round all the same.
  for (let round = 2; round <= ROUNDS; round++) {
    await sendRound(round);
    if (round % BURST === 0) await fast.until((app) => hasRound(app, round));
  }
  expect(slow.calls.length).toBe(1);
  await broken.until(({ calls }) => calls.length >= 6);

  isHealthy = true;
  release();
  for (const app of [slow, broken]) await app.until((one) => hasRound(one, ROUNDS), 25_000);
  for (const app of [fast, slow, broken]) expectAllInOrder(app);
  for (const { messages } of slow.notifications.slice(1)) expect(messages.length).toBeLessThanOrEqual(SLOW_SIZE);
  for (const app of [fast, slow, broken]) await app.close();
}, 120_000);
