import { afterEach, beforeEach, expect, test } from "vitest";
import { NEW_DELIVERY } from "../../domain/delivery/delivery.js";
import type { StoredMessage } from "../../domain/delivery/message.js";
import { createVault } from "../../runtime/secrets/vault.js";
import { ConnectorStore } from "../../storage/postgres/connectors/connectors.js";
import type { Database } from "../../storage/postgres/database.js";
import { appendToOutbox, compressMessages, saveProgress } from "../../storage/postgres/delivery/outbox.js";
import { createOrganization } from "../../storage/postgres/objects/organizations.js";
import { openTestDatabase } from "../../testing/test-database.js";
import { CombiningQueue } from "./combining-queue.js";
import { MessageCache } from "./message-cache.js";

const HOLD_MS = 2_000;

let database: Database;
let organizationId: string;
let connectorId: string;
let queue: CombiningQueue;
beforeEach(async () => {
  database = await openTestDatabase();
  organizationId = (await createOrganization(database, { namespace: "acme", name: "Acme" })).id;
  connectorId = (await new ConnectorStore(database, createVault("key")).create(organizationId, { name: "one" })).id;
  queue = openQueue();
});
afterEach(() => database.close());

function openQueue(): CombiningQueue {
  const cache = new MessageCache(database);
  return new CombiningQueue({ database, cache, organizationId, connectorId, holdMs: HOLD_MS });
}

interface Batch {
  channel?: string;
  isExport?: boolean;
  /** How long ago it was queued. */
  agoMs?: number;
}

/** Queues a batch of messages: `ann1` is the first message about ann. */
async function append(ids: string[], { channel = "user:update", isExport = false, agoMs = 5_000 }: Batch = {}) {
  const messages = ids.map((id): StoredMessage => {
    const subject = id.replace(/\d+$/, "");
    if (!channel.endsWith(":update") || channel.startsWith("ship"))
      return { message_id: id, kind: "notice", entity_id: subject, body: {} };
    const attributes = { n: [Number(id.slice(subject.length)) - 1, Number(id.slice(subject.length))] } as const;
    return {
      message_id: id,
      kind: channel.startsWith("user") ? "user" : "account",
      entity: { id: subject },
      segment_ids: [],
      changes: { is_new: false, attributes: { n: [...attributes.n] }, segments: { entered: [], left: [] } },
    };
  });
  const recipients = [{ connectorId, url: "/notify", channel, chosen: [...messages.keys()] }];
  await appendToOutbox(database, organizationId, [{ isExport, payload: compressMessages(messages), recipients }]);
  await database.query(
    `update outbox set created_at = now() - make_interval(secs => $1)
     where position = (select max(position) from outbox)`,
    [agoMs / 1_000],
  );
}

/** The messages of the next call: the id of each, and its change. */
async function next(max = 100, from = queue): Promise<[string, unknown][] | number | undefined> {
  const head = await from.head(max);
  if (!head) return undefined;
  if (head.waitMs > 0) return head.waitMs;
  return head.messages.map((message) => [
    message.message_id,
    message.kind === "notice" ? undefined : message.changes.attributes.n,
  ]);
}

/** Stores that the first `count` messages of the call were delivered. */
async function deliver(count: number): Promise<void> {
  const counts = { sentMessages: count, failedCalls: 0, deadMessages: 0 };
  const progress = { ...queue.advance(count), state: NEW_DELIVERY, ...counts };
  await saveProgress(database, organizationId, connectorId, progress);
}

test("messages about one subject are one message, and those about others keep their order", async () => {
  await append(["ann1", "bob1"]);
  await append(["ann2", "cas1"]);
  await append(["ann3"]);
  expect(await next()).toEqual([
    ["ann3", [0, 3]],
    ["bob1", [0, 1]],
    ["cas1", [0, 1]],
  ]);
  expect([queue.queued(1), queue.queued(3)]).toEqual([3, 5]);
  await deliver(3);
  expect(await next()).toBeUndefined();
});

test("a message waits, and takes later ones about its subject with it, but no others", async () => {
  await append(["ann1"], { agoMs: 500 });
  const waitMs = await next();
  expect(waitMs).toBeGreaterThan(1_000);
  expect(waitMs).toBeLessThanOrEqual(1_500);
  await database.query("update outbox set created_at = now() - interval '2.1 seconds'");
  await append(["bob1", "ann2"], { agoMs: 100 });
  expect(await next()).toEqual([["ann2", [0, 2]]]);
  await deliver(1);
  expect(await next()).toBeGreaterThan(1_000);
  await database.query("update outbox set created_at = now() - interval '3 seconds'");
  expect(await next()).toEqual([["bob1", [0, 1]]]);
});

test("a call that fails or a process that ends changes nothing, and parts that come meanwhile are added", async () => {
  await append(["ann1", "bob1"]);
  const before = await next();
  expect(await next(100, openQueue())).toEqual(before);
  const { firstId: first } = (await queue.head(100))!;
  await append(["ann2"]);
  const head = (await queue.head(100))!;
  expect([first, head.firstId, head.messages[0]?.message_id]).toEqual(["ann1", "ann1", "ann2"]);
});

test("a call has as many messages as the connector takes, and the next one goes on after them", async () => {
  await append(["ann1", "bob1", "cas1"]);
  await append(["bob2", "ann2", "cas2"]);
  expect(await next(2)).toEqual([
    ["ann2", [0, 2]],
    ["bob2", [0, 2]],
  ]);
  await deliver(1);
  expect(await next(2)).toEqual([
    ["bob2", [0, 2]],
    ["cas2", [0, 2]],
  ]);
  await deliver(2);
  expect(await next()).toBeUndefined();
});

test("updates of users pass those of accounts, which come next", async () => {
  await append(["ann1"]);
  await append(["acme1"], { channel: "account:update" });
  await append(["ann2"]);
  await append(["acme2"], { channel: "account:update" });
  expect(await next()).toEqual([["ann2", [0, 2]]]);
  await deliver(1);
  expect(await next()).toEqual([["acme2", [0, 2]]]);
});

test("nothing passes another message, which is sent at once and is not combined", async () => {
  await append(["ann1"]);
  await append(["one1", "one2"], { channel: "ship:update", agoMs: 0 });
  await append(["ann2"]);
  expect(await next()).toEqual([["ann1", [0, 1]]]);
  await deliver(1);
  expect(await next()).toEqual([
    ["one1", undefined],
    ["one2", undefined],
  ]);
  await deliver(2);
  expect(await next()).toEqual([["ann2", [1, 2]]]);
});

test("members of an export are sent at once, each as it is", async () => {
  await append(["ann1", "bob1"], { isExport: true, agoMs: 0 });
  await append(["ann2"], { agoMs: 0 });
  expect(await next()).toEqual([
    ["ann1", [0, 1]],
    ["bob1", [0, 1]],
  ]);
});
