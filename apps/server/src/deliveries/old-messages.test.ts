// @module-tag long
import { HOUR_MS } from "@muster/protocol";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { PATIENCE } from "../testing/bulk.js";
import { NEXT, type Respond, smartManifest } from "../testing/connector-app.js";
import { DeliveryKit } from "../testing/delivery-kit.js";
import type { Sender } from "../testing/sender.js";

const SUBSCRIPTIONS = {
  subscriptions: [{ url: "/smart-notifier", conditions: { channels: { only: ["user:update"] } } }],
};
const HOURS_A_STEP = 5;

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

const users = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, n) => sender.traits({ user: { external_id: `${prefix}-${n}` } }, { n }));

const deliveryOf = async (id: string) => (await kit.operator("GET", `/${id}/delivery`)).json<Record<string, unknown>>();

async function untilDelivery(id: string, expected: object): Promise<void> {
  await vi.waitFor(async () => expect(await deliveryOf(id)).toMatchObject(expected), PATIENCE);
}

/** Lets hours pass by the clock of the server, a few at a time. A call to each connector fails after each step. */
async function passHours(ids: readonly string[], hours: number): Promise<void> {
  for (let passed = 0; passed < hours; passed += HOURS_A_STEP) {
    aheadMs += HOURS_A_STEP * HOUR_MS;
    const now = Date.now();
    await vi.waitFor(async () => {
      const { rows } = await kit.muster.database.query(
        "select from delivery_states where connector_id = any($1::text[]) and (state->>'decidedAt')::float >= $2",
        [ids, now],
      );
      expect(rows).toHaveLength(ids.length);
    }, PATIENCE);
  }
}

/** Queues messages that are newer than all others. */
async function queueNew(ids: readonly string[]): Promise<void> {
  await sender.settle(users("new", 3));
  const { rowCount } = await kit.muster.database.query(
    `update outbox o
     set created_at = now() + interval '70 hours'
     where position in (select max(position) from outbox where connector_id = any($1::text[]) group by connector_id)`,
    [ids],
  );
  expect(rowCount).toBe(ids.length);
}

test("the messages of a connector that is away for 72 hours become dead letters, and newer ones wait for it", async () => {
  let isAway = true;
  const respond: Respond = (_call, response) => (isAway ? response.writeHead(503).end() && undefined : NEXT);
  const smart = await kit.install(smartManifest(SUBSCRIPTIONS), respond);
  const plain = await kit.install(smartManifest({ ...SUBSCRIPTIONS, tags: [] }), respond);
  const ids = [smart.id, plain.id];
  await sender.settle(users("old", 1_500));
  for (const { app } of [smart, plain]) await app.until(({ calls }) => calls.length >= 5);
  await queueNew(ids);
  await passHours(ids, 70);
  for (const id of ids) expect(await deliveryOf(id)).toMatchObject({ queued_messages: 1_503, dead_letters: 0 });
  await passHours(ids, 5);
  for (const id of ids) {
    await untilDelivery(id, { queued_messages: 3, dead_letters: 1_500, dead_messages: 1_500 });
    const figures = (await kit.operator("GET", `/${id}/delivery/figures`)).json();
    expect(figures.total).toMatchObject({ dead: 1_500 });
    const groups = (await kit.operator("GET", `/dead_letters/groups?connector_id=${id}`)).json();
    expect(groups).toMatchObject([{ cause: "It answered with status 503.", letters: 1_500 }]);
  }
  isAway = false;
  aheadMs += HOUR_MS;
  for (const id of ids) await untilDelivery(id, { queued_messages: 0, sent_messages: 3 });
});
