import type { UserUpdateMessage } from "@muster/protocol";
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { seededRandom } from "../../../../../testing/seeded-random.js";
import { readBatch } from "../../storage/postgres/delivery/outbox.js";
import { LeaseLost } from "../../storage/postgres/leases/lease-lost.js";
import { WorkLeases } from "../../storage/postgres/leases/work-leases.js";
import { PATIENCE } from "../../testing/bulk.js";
import { type ReceivedCall, type Respond, smartManifest } from "../../testing/connector-app.js";
import { DeliveryKit } from "../../testing/delivery-kit.js";
import type { Sender } from "../../testing/sender.js";
import { createTestDatabase } from "../../testing/test-database.js";
import type { TestServer } from "../../testing/test-server.js";
import { MessageCache } from "./message-cache.js";

const PLAIN = {
  tags: [],
  subscriptions: [{ url: "/notify", conditions: { channels: { only: ["user:update"] } } }],
};
const OK = {};
/** Eight take 2.5 s, which is enough to deliver the messages of all others on a slow machine. */
const ATTEMPTS = 8;

let kit: DeliveryKit;
let muster: TestServer;
let sender: Sender;

beforeAll(async () => {
  kit = await DeliveryKit.open({ DELIVERY_ATTEMPTS: String(ATTEMPTS), DELIVERY_TIMEOUT_MS: "20000" });
  ({ muster, sender } = kit);
});
afterAll(() => kit.close());
afterEach(() => kit.removeConnectors());

const operator: DeliveryKit["operator"] = (...call) => kit.operator(...call);

const installed = (respond: Respond, on = kit) => on.install(smartManifest(PLAIN), respond);

/** Changes so many users, so many times each, while the connector is disabled and keeps its messages. */
async function queueUp(id: string, names: readonly string[], rounds: number, on = kit) {
  await on.operator("PUT", `/${id}`, { enabled: false, when_disabled: "hold" });
  for (let round = 1; round <= rounds; round++) {
    await on.sender.settle(names.map((name) => on.sender.traits({ user: { external_id: name } }, { round })));
  }
}

const messageOf = ({ body }: ReceivedCall) => JSON.parse(String(body.Message)) as UserUpdateMessage;
const nameOf = (call: ReceivedCall) => String(messageOf(call).user.external_id);
const roundOf = (call: ReceivedCall) => Number(messageOf(call).user.traits_round);
const names = (prefix: string, count: number) => Array.from({ length: count }, (_, n) => `${prefix}-${n}`);

/** The rounds that a connector got for each user, in the order of the calls. */
function roundsIn(calls: readonly ReceivedCall[]): Map<string, number[]> {
  const rounds = new Map<string, number[]>();
  for (const call of calls) rounds.set(nameOf(call), [...(rounds.get(nameOf(call)) ?? []), roundOf(call)]);
  return rounds;
}

async function untilDelivered(id: string, expected: object, on = kit): Promise<void> {
  await vi.waitFor(async () => {
    const delivery = (await on.operator("GET", `/${id}/delivery`)).json();
    expect(delivery).toMatchObject({ queued_messages: 0, ...expected });
  }, PATIENCE);
}

test("calls that are answered at different times overlap, and each user's messages stay in order", async () => {
  const random = seededRandom("delays of a plain connector");
  const open = new Map<string, number>();
  let mostForOneUser = 0;
  let mostAtOnce = 0;
  let delaysMs = 0;
  const { app, id } = await installed(async (call) => {
    const name = nameOf(call);
    const now = (open.get(name) ?? 0) + 1;
    open.set(name, now);
    mostForOneUser = Math.max(mostForOneUser, now);
    mostAtOnce = Math.max(
      mostAtOnce,
      [...open.values()].reduce((sum, count) => sum + count, 0),
    );
    const delayMs = 10 + random.fraction() * 90;
    delaysMs += delayMs;
    await new Promise((resolve) => setTimeout(resolve, delayMs));
    open.set(name, (open.get(name) ?? 0) - 1);
    return OK;
  });
  await queueUp(id, names("delayed", 10), 24);
  const startedAt = performance.now();
  await operator("PUT", `/${id}`, { enabled: true });
  await app.until(({ calls }) => calls.length >= 240, 25_000);
  const tookMs = performance.now() - startedAt;
  await untilDelivered(id, { sent_messages: 240, failed_calls: 0 });
  expect(app.calls).toHaveLength(240);
  expect(mostForOneUser).toBe(1);
  for (const rounds of roundsIn(app.calls).values()) {
    expect(rounds).toEqual(Array.from({ length: 24 }, (_, index) => index + 1));
  }
  expect(mostAtOnce).toBeGreaterThanOrEqual(5);
  // About a tenth on a machine with nothing else to do.
  expect(tookMs).toBeLessThan(delaysMs);
});

test("a call that is not answered delays only messages about the same user", async () => {
  const warnings: string[] = [];
  const note = ({ name }: Error) => warnings.push(name);
  process.on("warning", note);
  onTestFinished(() => void process.off("warning", note));
  let release = () => {};
  const isReleased = new Promise<void>((resolve) => {
    release = resolve;
  });
  const { app, id } = await installed(async (call) => {
    if (nameOf(call) === "silent-0") await isReleased;
    return OK;
  });
  await queueUp(id, names("silent", 60), 2);
  await operator("PUT", `/${id}`, { enabled: true });
  await app.until(({ calls }) => calls.length >= 119);
  expect(roundsIn(app.calls).get("silent-0")).toEqual([1]);
  release();
  await untilDelivered(id, { sent_messages: 120 });
  expect(roundsIn(app.calls).get("silent-0")).toEqual([1, 2]);
  expect(app.calls).toHaveLength(120);
  // Node warns of many listeners on one signal, unless it is told that they are meant.
  expect(warnings).toEqual([]);
});

test("messages about a user that are refused for a while come later and in order, and the others are not delayed", async () => {
  let isRefusing = true;
  const { app, id } = await installed((call, response) => {
    if (isRefusing && nameOf(call) === "refused-3") return response.writeHead(500).end("not now") && undefined;
    return OK;
  });
  await queueUp(id, names("refused", 50), 3);
  await operator("PUT", `/${id}`, { enabled: true });
  const others = () => app.calls.filter((call) => nameOf(call) !== "refused-3");
  await app.until(() => others().length >= 147);
  expect(
    roundsIn(app.calls)
      .get("refused-3")
      ?.every((round) => round === 1),
  ).toBe(true);
  isRefusing = false;
  await untilDelivered(id, { sent_messages: 150, dead_letters: 0 });
  expect(others()).toHaveLength(147);
  const rounds = roundsIn(app.calls).get("refused-3");
  expect([...new Set(rounds)]).toEqual([1, 2, 3]);
  expect(rounds?.slice(-2)).toEqual([2, 3]);
});

test("a message that is always refused becomes a dead letter, and the others are delivered once", async () => {
  const { app, id } = await installed((call, response) => {
    const isPoison = nameOf(call) === "poison-9" && roundOf(call) === 1;
    return isPoison ? response.writeHead(422).end('{"error":"cannot digest"}') && undefined : OK;
  });
  await queueUp(id, names("poison", 40), 2);
  await operator("PUT", `/${id}`, { enabled: true });
  await untilDelivered(id, { sent_messages: 79, dead_messages: 1, dead_letters: 1 });
  const letters = (await operator("GET", `/dead_letters?connector_id=${id}`)).json();
  const entity_id = (await sender.user({ external_id: "poison-9" })).id;
  expect(letters).toMatchObject([{ entity_id, attempts: ATTEMPTS, reason: "It answered with status 422." }]);
  expect(roundsIn(app.calls).get("poison-9")).toEqual([...Array(ATTEMPTS).fill(1), 2]);
  expect(app.calls).toHaveLength(79 + ATTEMPTS);
});

test("a message that was removed from the queue meanwhile does not hold up later ones about the same user", async () => {
  let release = () => {};
  const isReleased = new Promise<void>((resolve) => {
    release = resolve;
  });
  const { app, id } = await installed(async (call, response) => {
    if (roundOf(call) !== 1) return OK;
    await isReleased;
    return response.writeHead(500).end("not now") && undefined;
  });
  await sender.settle([sender.traits({ user: { external_id: "removed" } }, { round: 1 })]);
  await app.until(({ calls }) => calls.length === 1);
  // What the retention does after two weeks. The batch is in no cache any more then.
  const { database } = muster;
  await database.query("delete from outbox where connector_id = $1", [id]);
  await database.query("delete from message_batches");
  const reading = vi
    .spyOn(MessageCache.prototype, "read")
    .mockImplementation(
      async (organizationId, batchId) => (await readBatch(database, organizationId, batchId)).messages,
    );
  release();
  await sender.settle([sender.traits({ user: { external_id: "removed" } }, { round: 2 })]);
  await app.until(({ calls }) => calls.some((call) => roundOf(call) === 2));
  await untilDelivered(id, { sent_messages: 1, dead_letters: 0 });
  reading.mockRestore();
});

test("a message that makes its connector time out has the same limit when the connector answers other calls", async () => {
  const hasty = await DeliveryKit.open({ DELIVERY_ATTEMPTS: "3", DELIVERY_TIMEOUT_MS: "200" });
  const { app, id } = await installed((call) => (nameOf(call) === "hangs" ? undefined : OK), hasty);
  const own = hasty.sender;
  await own.send([own.traits({ user: { external_id: "hangs" } }, { round: 1 })]);
  let round = 0;
  await vi.waitFor(
    async () => {
      round += 1;
      await own.send([own.traits({ user: { external_id: "answers" } }, { round })]);
      const { dead_letters } = (await hasty.operator("GET", `/${id}/delivery`)).json();
      expect(dead_letters).toBe(1);
    },
    { timeout: 25_000, interval: 50 },
  );
  expect(roundsIn(app.calls).get("hangs")?.length).toBeGreaterThanOrEqual(3);
  await hasty.close();
  await app.close();
});

test("a connector that is away is tried with one call at a time, and then gets everything once", async () => {
  let isAway = true;
  const { app, id } = await installed((_call, response) => (isAway ? response.destroy() && undefined : OK));
  await queueUp(id, names("away", 150), 1);
  await operator("PUT", `/${id}`, { enabled: true });
  await vi.waitFor(async () => {
    expect((await operator("GET", `/${id}/delivery`)).json()).toMatchObject({ circuit: expect.stringMatching(/open/) });
  }, PATIENCE);
  // Those that were on their way when it was noticed, and a few tests after that.
  expect(app.calls.length).toBeLessThan(130);
  isAway = false;
  const before = app.calls.length;
  await untilDelivered(id, { sent_messages: 150, dead_letters: 0, circuit: "closed" });
  // One of the tests may have been counted before the connector was back.
  expect(app.calls.length - before).toBeLessThanOrEqual(151);
  expect(new Set(app.calls.map(nameOf)).size).toBe(150);
});

test("after a crash, nothing is skipped, what was stored is not sent again, and each user's messages stay in order", async () => {
  const environment = {
    DATABASE_URL: await createTestDatabase(),
    SECRET_KEY: "kept over the restart",
  };
  let isCrashing = false;
  const { take } = WorkLeases.prototype;
  // From the moment of the crash on, nothing is stored any more.
  const taking = vi.spyOn(WorkLeases.prototype, "take").mockImplementation(async function (this: WorkLeases, ...work) {
    const lease = await take.apply(this, work);
    if (!lease || !work[0].startsWith("deliver")) return lease;
    return {
      ...lease,
      confirm: async (tx) => {
        if (isCrashing) throw new LeaseLost("queue");
        await lease.confirm(tx);
      },
    };
  });
  const first = await DeliveryKit.open(environment);
  const { app, id } = await installed(async () => {
    if (app.calls.length === 300) isCrashing = true;
    await new Promise((resolve) => setTimeout(resolve, 5));
    return OK;
  }, first);
  await queueUp(id, names("crash", 60), 10, first);
  await first.operator("PUT", `/${id}`, { enabled: true });
  await vi.waitUntil(() => isCrashing, PATIENCE);
  await first.close();
  const before = app.calls.length;
  expect(before).toBeLessThan(600);
  isCrashing = false;

  const second = await DeliveryKit.open(environment);
  await untilDelivered(id, {}, second);
  await second.close();
  taking.mockRestore();
  await app.close();
  for (const rounds of roundsIn(app.calls).values()) {
    // A message that was answered and not stored comes twice, one after the other.
    expect([...new Set(rounds)]).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(rounds).toEqual([...rounds].sort((one, other) => one - other));
  }
  expect(app.calls.length - 600).toBeLessThanOrEqual(100);
});
