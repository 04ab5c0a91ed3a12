import fc from "fast-check";
import { afterEach, beforeEach, expect, test } from "vitest";
import { NEW_DELIVERY } from "../../../domain/delivery/delivery.js";
import type { StoredMessage } from "../../../domain/delivery/message.js";
import { createVault } from "../../../runtime/secrets/vault.js";
import { openTestDatabase } from "../../../testing/test-database.js";
import { ConnectorStore } from "../connectors/connectors.js";
import type { Database } from "../database.js";
import { createOrganization } from "../objects/organizations.js";
import { clearQueue } from "./clear-queues.js";
import {
  discardDeadLetters,
  listDeadLetterGroups,
  listDeadLetters,
  nextDeadLetters,
  saveDeadLetters,
  takeDeadLetters,
} from "./dead-letters.js";
import { readDeliveryFigures } from "./delivery-states.js";
import { appendToOutbox, compressMessages, readQueue, saveProgress } from "./outbox.js";

const FAILED = { request: { url: "", notification_id: "", messages: 1, sent_at: "" }, answer: null };
const ALL = { after: 0, upTo: Number.MAX_SAFE_INTEGER };

let database: Database;
let organizationId: string;
let connectors: ConnectorStore;
let ids: string[];
beforeEach(async () => {
  database = await openTestDatabase();
  organizationId = (await createOrganization(database, { namespace: "acme", name: "Acme" })).id;
  connectors = new ConnectorStore(database, createVault("key"));
  ids = [
    (await connectors.create(organizationId, { name: "one" })).id,
    (await connectors.create(organizationId, { name: "two" })).id,
  ];
});
afterEach(() => database.close());

const notice = (id: string): StoredMessage => ({ message_id: id, kind: "notice", entity_id: id, body: {} });

/** What is done to the queues and dead letters. `n` chooses of what and how much. */
const ACTIONS: Record<string, (connectorId: string, n: number) => Promise<unknown>> = {
  async append(_, n) {
    const payload = compressMessages([notice("0"), notice("1"), notice("2")]);
    const chosen = Array.from({ length: 1 + (n % 3) }, (_none, index) => index);
    const recipients = ids.slice(0, 1 + (n % 2)).map((id) => ({ connectorId: id, url: "/", channel: "c", chosen }));
    await appendToOutbox(database, organizationId, [{ isExport: false, payload, recipients }]);
  },
  async progress(connectorId, n) {
    const rows = await readQueue(database, organizationId, connectorId, 5);
    const done = rows.slice(0, n % 3).map(({ position }) => position);
    const left = rows.slice(done.length).filter(({ chosen, sent }) => chosen.length - sent > 1);
    const partial = left[0] && { position: left[0].position, sent: left[0].sent + 1 };
    const rewritten = left
      .slice(1, 2)
      .map(({ position, chosen }) => ({ position, chosen: chosen.slice(1), tries: {} }));
    await saveProgress(database, organizationId, connectorId, {
      done,
      ...(partial ? { partial } : {}),
      rewritten,
      state: NEW_DELIVERY,
      sentMessages: 0,
      failedCalls: 0,
      deadMessages: 0,
    });
  },
  clear: (connectorId) => clearQueue(database, organizationId, connectorId),
  async dead(connectorId, n) {
    const cause = `cause ${n % 3}`;
    const call = { ...FAILED, reason: cause, cause };
    const letters = Array.from({ length: n % 7 }, (_none, index) => {
      return { url: "/", channel: "c", objectId: `${index}`, message: notice(`${index}`), attempts: 1, call };
    });
    await saveDeadLetters(database, organizationId, connectorId, letters);
  },
  discard: (connectorId, n) =>
    discardDeadLetters(database, organizationId, { connectorId, cause: `cause ${n % 3}` }, { ...ALL, limit: n % 5 }),
  take: (_, n) =>
    database.transaction(async (tx) => {
      const taken = await nextDeadLetters(tx, organizationId, {}, { ...ALL, limit: n % 5 });
      await takeDeadLetters(tx, organizationId, taken);
    }),
  rename: (connectorId, n) =>
    database.query("update dead_letters set cause = 'erased' where connector_id = $1 and id % 4 = $2", [
      connectorId,
      n % 4,
    ]),
};

async function expectCounted(): Promise<void> {
  const figures = await readDeliveryFigures(database, { organizationId });
  const counted = await database.query<{ id: string; queued: number; letters: number }>(
    `select c.id,
            (select coalesce(sum(cardinality(chosen) - sent), 0)::integer from outbox o where o.connector_id = c.id) as queued,
            (select count(*)::integer from dead_letters l where l.connector_id = c.id) as letters
     from connectors c
     order by c.id`,
  );
  const kept = figures.map(({ connectorId, queuedMessages, deadLetters }) => {
    return { id: connectorId, queued: queuedMessages, letters: deadLetters };
  });
  expect(kept).toEqual(counted.rows);
  const page = { limit: 100, offset: 0 };
  const byCount = await listDeadLetterGroups(database, organizationId, {}, page);
  // A filter that matches all: these groups are counted.
  expect(byCount).toEqual(await listDeadLetterGroups(database, organizationId, { channel: "c" }, page));
  const total = counted.rows.reduce((sum, { letters }) => sum + letters, 0);
  expect(await listDeadLetters(database, organizationId, {}, page)).toMatchObject({ total });
}

test("the sizes of queues and the counts of dead letters are right whatever happens to them", async () => {
  const action = fc.record({
    kind: fc.constantFrom(...Object.keys(ACTIONS)),
    connector: fc.nat(1),
    n: fc.nat(20),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(action, { minLength: 1, maxLength: 25 }), async (actions) => {
      for (const { kind, connector, n } of actions) await ACTIONS[kind]!(ids[connector]!, n);
      await expectCounted();
    }),
    { numRuns: 20 },
  );
});

test("the counts of a connector go with it, also when its queues have many pages", async () => {
  for (const kind of ["append", "dead"]) await ACTIONS[kind]!(ids[0]!, 5);
  await database.query(
    `insert into outbox (organization_id, connector_id, batch_id, url, channel, chosen)
     select organization_id, connector_id, batch_id, url, channel, chosen
     from (select * from outbox where connector_id = $1 limit 1) o, generate_series(1, 4500)`,
    [ids[0]],
  );
  await expectCounted();
  await connectors.remove(organizationId, ids[0]!);
  await expectCounted();
  const { rows } = await database.query(
    "select connector_id from queue_sizes union select connector_id from dead_letter_counts",
  );
  expect(rows).toEqual([{ connector_id: ids[1] }]);
});

test("many transactions on the same queues and letters at the same time wait for each other in no circle", async () => {
  const work = Array.from({ length: 60 }, (_, n) => {
    const kind = ["append", "progress", "dead", "take", "discard"][n % 5]!;
    return ACTIONS[kind]!(ids[n % 2]!, n);
  });
  await Promise.all(work);
  await expectCounted();
});
