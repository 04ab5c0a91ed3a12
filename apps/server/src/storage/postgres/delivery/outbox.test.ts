import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { NEW_DELIVERY } from "../../../domain/delivery/delivery.js";
import type { StoredMessage } from "../../../domain/delivery/message.js";
import { createVault } from "../../../runtime/secrets/vault.js";
import { openTestDatabase } from "../../../testing/test-database.js";
import { ConnectorStore } from "../connectors/connectors.js";
import type { Database } from "../database.js";
import { createOrganization } from "../objects/organizations.js";
import { readDeliveryFigures } from "./delivery-states.js";
import {
  appendToOutbox,
  compressMessages,
  connectorsWithWork,
  type QueueProgress,
  readBatch,
  readQueue,
  saveProgress,
} from "./outbox.js";

let database: Database;
let organizationId: string;
let one: string;
let two: string;
beforeEach(async () => {
  database = await openTestDatabase();
  organizationId = (await createOrganization(database, { namespace: "acme", name: "Acme" })).id;
  const connectors = new ConnectorStore(database, createVault("key"));
  one = (await connectors.create(organizationId, { name: "one" })).id;
  two = (await connectors.create(organizationId, { name: "two" })).id;
});
afterEach(() => database.close());

const notice = (id: string): StoredMessage => ({ message_id: id, kind: "notice", entity_id: id, body: {} });

/** Queues one batch of three messages, of which each given connector gets the given ones. */
async function append(name: string, chosen: Record<string, number[]>): Promise<void> {
  const payload = compressMessages([notice(`${name} 0`), notice(`${name} 1`), notice(`${name} 2`)]);
  const recipients = Object.entries(chosen).map(([connectorId, indexes]) => {
    return { connectorId, url: "/", channel: "user:update", chosen: indexes };
  });
  await appendToOutbox(database, organizationId, [{ isExport: false, payload, recipients }]);
}

const queue = (connectorId: string) => readQueue(database, organizationId, connectorId, 10);

async function save(connectorId: string, progress: Partial<QueueProgress>): Promise<void> {
  const nothing = { done: [], state: NEW_DELIVERY, sentMessages: 0, failedCalls: 0, deadMessages: 0 };
  await saveProgress(database, organizationId, connectorId, { ...nothing, ...progress });
}

test("a queue has the batches of its connector in the order in which they were appended", async () => {
  await append("first", { [one]: [2, 0], [two]: [1] });
  await append("second", { [one]: [1] });
  const rows = await queue(one);
  expect(rows.map(({ chosen }) => chosen)).toEqual([[2, 0], [1]]);
  const batches = await Promise.all(rows.map(({ batchId }) => readBatch(database, organizationId, batchId)));
  expect(batches.map(({ messages: [message] }) => message?.message_id)).toEqual(["first 0", "second 0"]);
  expect(await queue(two)).toHaveLength(1);
  expect((await connectorsWithWork(database)).sort()).toEqual([one, two].sort());
});

test("a batch for a connector that was removed meanwhile is queued for the others only", async () => {
  await append("batch", { [one]: [0], "000000000000000000000000": [1] });
  expect(await connectorsWithWork(database)).toEqual([one]);
});

test("a batch is deleted only when the last queue that needs it is done with it", async () => {
  await append("shared", { [one]: [0], [two]: [1] });
  const [own] = await queue(one);
  const [others] = await queue(two);
  await save(one, { done: [own!.position] });
  expect(await queue(one)).toEqual([]);
  expect((await readBatch(database, organizationId, own!.batchId)).messages).toHaveLength(3);
  await save(two, { done: [others!.position] });
  expect((await readBatch(database, organizationId, own!.batchId)).messages).toEqual([]);
});

test("a row that is done in part stays first in the queue, and the figures add up", async () => {
  await append("first", { [one]: [0, 1, 2] });
  await append("second", { [one]: [0, 1] });
  const [first] = await queue(one);
  await save(one, { partial: { position: first!.position, sent: 2 }, sentMessages: 2 });
  await save(one, { failedCalls: 1, state: { ...NEW_DELIVERY, attempts: 1 } });
  expect((await queue(one)).map(({ sent }) => sent)).toEqual([2, 0]);
  const [figures] = await readDeliveryFigures(database, { connectorId: one });
  expect(figures).toMatchObject({ queuedMessages: 3, sentMessages: 2, failedCalls: 1, storedState: { attempts: 1 } });
  expect([figures?.lastSentAt, figures?.lastFailedAt]).toEqual([expect.any(Date), expect.any(Date)]);
});

test("a connector is removed while a delivery to it is saved", async () => {
  await append("first", { [one]: [0] });
  const [row] = await queue(one);
  await save(one, {});
  const connectors = new ConnectorStore(database, createVault("key"));
  let work: Promise<unknown> = Promise.resolve();
  await database.transaction(async (tx) => {
    // Stops the removal in its middle.
    await tx.query("select from connectors where id = $1 for key share", [one]);
    const removing = connectors.remove(organizationId, one);
    await untilWaiting(1);
    const made = { calls: 1, messages: 1, retried: 0, refused: 0, skipped: 0, unreported: 0, lagMs: 0 };
    const saving = save(one, { done: [row!.position], made });
    work = Promise.all([removing, saving]);
    await Promise.race([saving, untilWaiting(2)]);
  });
  await work;
  expect(await connectors.find(organizationId, one)).toBeUndefined();
});

/** Waits until so many statements wait for locks. */
async function untilWaiting(count: number): Promise<void> {
  await vi.waitFor(async () => {
    const { rows } = await database.query<{ waiting: number }>(
      `select count(*) as waiting
       from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock'`,
    );
    expect(rows[0]!.waiting).toBe(count);
  });
}
