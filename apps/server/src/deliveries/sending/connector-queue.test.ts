import { afterEach, beforeEach, expect, test } from "vitest";
import type { StoredMessage } from "../../domain/delivery/message.js";
import { createVault } from "../../runtime/secrets/vault.js";
import { ConnectorStore } from "../../storage/postgres/connectors/connectors.js";
import type { Database } from "../../storage/postgres/database.js";
import { appendToOutbox, compressMessages } from "../../storage/postgres/delivery/outbox.js";
import { createOrganization } from "../../storage/postgres/objects/organizations.js";
import { openTestDatabase } from "../../testing/test-database.js";
import { ConnectorQueue } from "./connector-queue.js";
import { MessageCache } from "./message-cache.js";

let database: Database;
let organizationId: string;
let connectorId: string;
let queue: ConnectorQueue;
beforeEach(async () => {
  database = await openTestDatabase();
  organizationId = (await createOrganization(database, { namespace: "acme", name: "Acme" })).id;
  connectorId = (await new ConnectorStore(database, createVault("key")).create(organizationId, { name: "one" })).id;
  queue = new ConnectorQueue(database, new MessageCache(database), organizationId, connectorId);
});
afterEach(() => database.close());

function messagesWith(ids: readonly string[]): StoredMessage[] {
  return ids.map((id) => ({ message_id: id, kind: "notice", entity_id: id, body: {} }));
}

/** Queues a batch of messages with these ids. */
async function append(...ids: string[]): Promise<void> {
  const messages = messagesWith(ids);
  const recipients = [{ connectorId, url: "/notify", channel: "user:update", chosen: [...messages.keys()] }];
  await appendToOutbox(database, organizationId, [
    { isExport: false, payload: compressMessages(messages), recipients },
  ]);
}

async function nextIds(max: number): Promise<string[] | undefined> {
  return (await queue.head(max))?.messages.map(({ message_id }) => message_id);
}

test("a call takes messages of several batches in their order, and the next one goes on after them", async () => {
  await append("a1", "a2");
  await append("b1", "b2", "b3");
  expect(await nextIds(3)).toEqual(["a1", "a2", "b1"]);
  expect(queue.advance(3)).toMatchObject({ partial: { sent: 1 } });
  expect(await nextIds(2)).toEqual(["b2", "b3"]);
});

test("the batches of the next call are read while a call is under way, and none beyond them", async () => {
  for (const batch of ["a", "b", "c", "d"]) await append(`${batch}1`, `${batch}2`);
  expect(await nextIds(3)).toEqual(["a1", "a2", "b1"]);
  await queue.readAhead(3, 2);
  const changed = compressMessages(messagesWith(["changed", "changed"]));
  await database.query("update message_batches set payload = $1", [changed]);
  queue.advance(3);
  expect(await nextIds(2)).toEqual(["b2", "c1"]);
  queue.advance(3);
  expect(await nextIds(1)).toEqual(["changed"]);
});
