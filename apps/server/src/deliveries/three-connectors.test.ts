import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ConnectorApp, NEXT, type Respond, smartManifest } from "../testing/connector-app.js";
import { Sender } from "../testing/sender.js";
import { openTestServer, type TestServer } from "../testing/test-server.js";

const USERS = 25;
const ROUNDS = 60;
const ROUND_MS = 50;
/** A lag below this comes from micro-batches and a busy machine, not from other connectors. */
const FLOOR_MS = 150;

let muster: TestServer;
let sender: Sender;

beforeAll(async () => {
  muster = await openTestServer({ DELIVERY_RETRY_MS: "20", DELIVERY_TIMEOUT_MS: "400", DELIVERY_ATTEMPTS: "1000" });
  await muster.listen();
  sender = new Sender(muster);
});
afterAll(() => muster.close());

const onlyUsers = { subscriptions: [{ url: "/smart-notifier", conditions: { channels: { only: ["user:update"] } } }] };

async function installed(respond: Respond): Promise<{ app: ConnectorApp; id: string }> {
  const app = await ConnectorApp.open(smartManifest(onlyUsers), respond);
  const { id } = await app.install(muster);
  return { app, id };
}

async function enable(id: string, enabled: boolean): Promise<void> {
  const headers = muster.operatorHeaders;
  const answer = await muster.app.inject({ method: "PUT", url: `/api/v1/${id}`, headers, payload: { enabled } });
  expect(answer.statusCode).toBe(200);
}

/** Changes every user once in each round. Returns the time at which each round was acknowledged. */
async function sendRounds(prefix: string): Promise<Map<number, number>> {
  const acknowledged = new Map<number, number>();
  for (let round = 1; round <= ROUNDS; round++) {
    const begun = Date.now();
    const at = new Date(begun);
    await sender.send(
      Array.from({ length: USERS }, (_, user) =>
        sender.traits({ user: { external_id: `${prefix}-${user}` } }, { round }, at),
      ),
    );
    acknowledged.set(round, Date.now());
    await sleep(Math.max(0, ROUND_MS - (Date.now() - begun)));
  }
  return acknowledged;
}

/** The changes of `round` that a connector got for each user, in order. Messages that were repeated count once. */
function changesOf(app: ConnectorApp, prefix: string): Map<string, [unknown, unknown][]> {
  const seen = new Set<string>();
  const chains = new Map<string, [unknown, unknown][]>();
  for (const { message_id, user, changes } of app.userMessages) {
    const name = String(user.external_id);
    const change = changes.user.traits_round;
    if (!name.startsWith(`${prefix}-`) || !change || seen.has(message_id)) continue;
    seen.add(message_id);
    chains.set(name, [...(chains.get(name) ?? []), change]);
  }
  return chains;
}

function expectAllInOrder(app: ConnectorApp, prefix: string): void {
  const chains = changesOf(app, prefix);
  expect(chains.size).toBe(USERS);
  for (const chain of chains.values()) {
    // Each change begins with the value that the one before ended with: none is missing, and none is out of order.
    expect(chain.map(([from]) => from)).toEqual([null, ...chain.slice(0, -1).map(([, to]) => to)]);
    expect(chain.at(-1)?.[1]).toBe(ROUNDS);
  }
}

function hasAll(app: ConnectorApp, prefix: string): boolean {
  const chains = [...changesOf(app, prefix).values()];
  return chains.length === USERS && chains.every((chain) => chain.at(-1)?.[1] === ROUNDS);
}

function lagP99(app: ConnectorApp, prefix: string, acknowledged: Map<number, number>): number {
  const lags = app.notifications.flatMap(({ messages, at }) =>
    (messages as { user: Record<string, unknown>; changes: { user: Record<string, [unknown, unknown]> } }[])
      .filter(({ user }) => String(user.external_id).startsWith(`${prefix}-`))
      .flatMap(({ changes }) => {
        const round = changes.user.traits_round?.[1];
        return typeof round === "number" ? [at - acknowledged.get(round)!] : [];
      }),
  );
  lags.sort((one, other) => one - other);
  return lags[Math.floor(lags.length * 0.99)]!;
}

test("a slow and a broken connector do not slow down a fast one, and no message is lost or out of order", async () => {
  const fast = await installed(() => NEXT);
  let isHealthy = false;
  const slow = await installed(() => ({
    flow_control: isHealthy ? { type: "next", size: 1_000 } : { type: "next", size: 10, in: 1_000 },
  }));
  let calls = 0;
  const broken = await installed((_call, response) => {
    if (isHealthy) return NEXT;
    switch (calls++ % 3) {
      case 0:
        return { flow_control: { type: "retry", in: 50 } };
      case 1:
        response.writeHead(500).end("broken");
        return undefined;
      default:
        // Never answers.
        return undefined;
    }
  });

  const measure = async (prefix: string) => {
    const acknowledged = await sendRounds(prefix);
    await fast.app.until((app) => hasAll(app, prefix));
    return lagP99(fast.app, prefix, acknowledged);
  };
  const lags: { alone: number; together: number }[] = [];
  let prefix = "";
  // Other work on the machine only makes the difference larger, so one good measurement of three is enough.
  do {
    for (const { id } of [slow, broken]) await enable(id, false);
    const alone = await measure(`alone${lags.length}`);
    for (const { id } of [slow, broken]) await enable(id, true);
    prefix = `together${lags.length}`;
    lags.push({ alone, together: await measure(prefix) });
  } while (!lags.some(isUnharmed) && lags.length < 3);
  expect(lags.filter(isUnharmed), JSON.stringify(lags)).not.toEqual([]);

  const paced = slow.app.notifications.filter(({ messages }) => JSON.stringify(messages).includes(`"${prefix}-`));
  expect(paced.length).toBeGreaterThanOrEqual(3);
  for (const [index, { messages, at }] of paced.slice(1).entries()) {
    expect(messages.length).toBeLessThanOrEqual(10);
    expect(at - paced[index]!.at).toBeGreaterThanOrEqual(995);
  }
  isHealthy = true;
  for (const { app } of [slow, broken]) await app.until((one) => hasAll(one, prefix), 25_000);
  for (const { app } of [fast, slow, broken]) expectAllInOrder(app, prefix);
  for (const { app } of [fast, slow, broken]) await app.close();
}, 120_000);

function isUnharmed({ alone, together }: { alone: number; together: number }): boolean {
  return together <= 2 * Math.max(alone, FLOOR_MS);
}
