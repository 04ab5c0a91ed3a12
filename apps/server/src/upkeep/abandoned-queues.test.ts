import pino from "pino";
import { afterEach, beforeEach, expect, onTestFinished, test } from "vitest";
import { workOf } from "../deliveries/sending/delivery-loops.js";
import { OldMessages } from "../deliveries/sending/old-messages.js";
import type { StoredMessage } from "../domain/delivery/message.js";
import { createVault } from "../runtime/secrets/vault.js";
import { ConnectorStore } from "../storage/postgres/connectors/connectors.js";
import type { Database } from "../storage/postgres/database.js";
import { listDeadLetters } from "../storage/postgres/delivery/dead-letters.js";
import { readDeliveryFigures } from "../storage/postgres/delivery/delivery-states.js";
import { appendToOutbox, compressMessages } from "../storage/postgres/delivery/outbox.js";
import { WorkLeases } from "../storage/postgres/leases/work-leases.js";
import { createOrganization } from "../storage/postgres/objects/organizations.js";
import { WakeUps } from "../storage/postgres/wake-ups.js";
import { openTestDatabase } from "../testing/test-database.js";
import { giveUpAbandoned } from "./abandoned-queues.js";

const logger = pino({ level: "silent" });

let database: Database;
let organizationId: string;
let connectorId: string;
beforeEach(async () => {
  database = await openTestDatabase();
  organizationId = (await createOrganization(database, { namespace: "acme", name: "Acme" })).id;
  const connectors = new ConnectorStore(database, createVault("key"));
  connectorId = (await connectors.create(organizationId, { name: "away" })).id;
});
afterEach(() => database.close());

async function leasesOf(place: string): Promise<WorkLeases> {
  const leases = new WorkLeases({ database, logger, place, wakeUps: new WakeUps({ database, logger }) });
  await leases.start();
  onTestFinished(() => leases.close());
  return leases;
}

/** Queues messages, in rows of 100, that are so many days old. */
async function queue(prefix: string, count: number, days: number): Promise<void> {
  for (let start = 0; start < count; start += 100) {
    const messages = Array.from({ length: Math.min(100, count - start) }, (_, n): StoredMessage => {
      return { message_id: `${prefix}-${start + n}`, kind: "notice", entity_id: `${prefix}-${start + n}`, body: {} };
    });
    const chosen = messages.map((_, index) => index);
    const recipients = [{ connectorId, url: "/", channel: "user:update", chosen }];
    await appendToOutbox(database, organizationId, [
      { isExport: false, payload: compressMessages(messages), recipients },
    ]);
  }
  await database.query("update outbox set created_at = created_at - $1 * interval '1 day'", [days]);
}

async function figures() {
  const [found] = await readDeliveryFigures(database, { organizationId });
  const { queuedMessages, deadLetters, deadMessages } = found!;
  return { queuedMessages, deadLetters, deadMessages };
}

async function letters() {
  const { letters: found } = await listDeadLetters(database, organizationId, {}, { limit: 10_000, offset: 0 });
  return found.reverse();
}

test("messages that waited for two weeks become dead letters in their order, page after page", async () => {
  await queue("old", 2_350, 15);
  await queue("new", 30, 0);
  const lease = (await (await leasesOf("one")).take(workOf(connectorId), organizationId))!;
  const oldMessages = new OldMessages({ database, logger }, { organizationId, connectorId, lease });
  expect(await oldMessages.isDue()).toBe(true);
  await oldMessages.step();
  expect(await figures()).toEqual({ queuedMessages: 1_380, deadLetters: 1_000, deadMessages: 1_000 });
  while (await oldMessages.isDue()) await oldMessages.step();
  expect(await figures()).toEqual({ queuedMessages: 30, deadLetters: 2_350, deadMessages: 2_350 });
  const found = await letters();
  expect(found.map(({ objectId }) => objectId)).toEqual(Array.from({ length: 2_350 }, (_, n) => `old-${n}`));
  expect(found[0]).toMatchObject({ reason: "It waited in the queue for 14 days.", attempts: 0, answer: null });
  const { rows } = await database.query("select count(*)::integer as count from message_batches");
  expect(rows).toEqual([{ count: 1 }]);
});

test("a page of large messages is short", async () => {
  const body = { text: Array.from({ length: 40_000 }, () => Math.random().toString(36).slice(2)).join("") };
  for (let n = 0; n < 6; n++) {
    const payload = compressMessages([{ message_id: `${n}`, kind: "notice", entity_id: `${n}`, body }]);
    const recipients = [{ connectorId, url: "/", channel: "user:update", chosen: [0] }];
    await appendToOutbox(database, organizationId, [{ isExport: false, payload, recipients }]);
  }
  await database.query("update outbox set created_at = created_at - interval '15 days'");
  const lease = (await (await leasesOf("one")).take(workOf(connectorId), organizationId))!;
  const oldMessages = new OldMessages({ database, logger }, { organizationId, connectorId, lease });
  await oldMessages.isDue();
  await oldMessages.step();
  const { deadLetters } = await figures();
  expect([1, 2, 3]).toContain(deadLetters);
});

test("a queue that no process delivers is given up too, and one that a process delivers is left to it", async () => {
  await queue("old", 120, 16);
  const delivering = await leasesOf("delivering");
  const cleaning = await leasesOf("cleaning");
  const options = { database, leases: cleaning, logger };
  await delivering.take(workOf(connectorId), organizationId);
  await giveUpAbandoned(options);
  await giveUpAbandoned({ ...options, leases: delivering });
  expect(await figures()).toMatchObject({ queuedMessages: 120, deadLetters: 0 });
  await delivering.release(workOf(connectorId), organizationId);
  expect(await giveUpAbandoned(options)).toBe(false);
  expect(await figures()).toEqual({ queuedMessages: 0, deadLetters: 120, deadMessages: 120 });
});

test("two processes that give up the same messages make one dead letter of each", async () => {
  await queue("old", 900, 16);
  const leases = await leasesOf("one");
  await Promise.all([1, 2, 3].map(() => giveUpAbandoned({ database, leases, logger }).catch(() => false)));
  while ((await figures()).queuedMessages > 0) await giveUpAbandoned({ database, leases, logger });
  expect(await figures()).toEqual({ queuedMessages: 0, deadLetters: 900, deadMessages: 900 });
});
