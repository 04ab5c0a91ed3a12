import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { Connector } from "../../../domain/connectors/connector.js";
import { createVault } from "../../../runtime/secrets/vault.js";
import { createTestDatabase } from "../../../testing/test-database.js";
import { type Database, openDatabase } from "../database.js";
import { createOrganization } from "../objects/organizations.js";
import { ConnectorStore } from "./connectors.js";

let database: Database;
let organizationId: string;
let store: ConnectorStore;
let connector: Connector;
beforeAll(async () => {
  const quiet = { slowQueryMs: 60_000, onSlowQuery: () => {}, onError: () => {} };
  database = openDatabase({ url: await createTestDatabase(), ...quiet });
  organizationId = (await createOrganization(database, { namespace: "acme", name: "Acme" })).id;
});
afterAll(() => database.close());
beforeEach(async () => {
  store = new ConnectorStore(database, createVault("key"));
  connector = await store.create(organizationId, { name: "CRM" });
});

const rename = () => database.query("update connectors set name = 'Renamed' where id = $1", [connector.id]);
const nameFor = async (maxAgeMs?: number) =>
  (await store.findForAuthentication(connector.id, maxAgeMs))?.connector.name;

test("authentication gets a connector as it was read a moment ago, if it says that it may be so old", async () => {
  expect(await nameFor(60_000)).toBe("CRM");
  await rename();
  expect(await nameFor(60_000)).toBe("CRM");
  expect(await nameFor()).toBe("Renamed");
});

test("a connector that was read too long ago is read again", async () => {
  expect(await nameFor(20)).toBe("CRM");
  await rename();
  await sleep(50);
  expect(await nameFor(20)).toBe("Renamed");
});

test("after a change of the secret no older one is found", async () => {
  await store.findForAuthentication(connector.id, 60_000);
  const rotated = await store.rotateSecret(organizationId, connector.id);
  const found = await store.findForAuthentication(connector.id, 60_000);
  expect(found?.connector.secret).toBe(rotated?.secret);
  expect(found?.connector.secret).not.toBe(connector.secret);
});

test("a removed connector is not found any more", async () => {
  expect(await nameFor(60_000)).toBe("CRM");
  await store.remove(organizationId, connector.id);
  expect(await nameFor(60_000)).toBeUndefined();
});

test("a very long id is looked up like any other", async () => {
  expect(await store.findForAuthentication("x".repeat(10_000), 60_000)).toBeUndefined();
});
