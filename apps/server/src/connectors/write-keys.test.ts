import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { Connector } from "../domain/connectors/connector.js";
import type { WriteKeyFields } from "../domain/connectors/write-key.js";
import { createVault } from "../runtime/secrets/vault.js";
import { ConnectorStore } from "../storage/postgres/connectors/connectors.js";
import { type Database, openDatabase } from "../storage/postgres/database.js";
import { createOrganization } from "../storage/postgres/objects/organizations.js";
import { createTestDatabase } from "../testing/test-database.js";
import { MAX_WRITE_KEYS, WriteKeys } from "./write-keys.js";

let database: Database;
let store: ConnectorStore;
let acme: string;
let other: string;
let writeKeys: WriteKeys;
let elsewhere: WriteKeys;
let connector: Connector;
beforeAll(async () => {
  const quiet = { slowQueryMs: 60_000, onSlowQuery: () => {}, onError: () => {} };
  database = openDatabase({ url: await createTestDatabase(), ...quiet });
  acme = (await createOrganization(database, { namespace: "acme", name: "Acme" })).id;
  other = (await createOrganization(database, { namespace: "other", name: "Other" })).id;
});
afterAll(() => database.close());
beforeEach(async () => {
  const vault = createVault("key");
  store = new ConnectorStore(database, vault);
  writeKeys = new WriteKeys({ database, vault, store });
  // Another process with the same database.
  elsewhere = new WriteKeys({ database, vault, store: new ConnectorStore(database, vault) });
  connector = await store.create(acme, { name: "Site" });
});

const page: WriteKeyFields = {
  kind: "page",
  name: "Shop",
  domains: ["shop.example.com"],
  apps: [],
  trustsIdentify: false,
};
const firstKey = async () => (await writeKeys.list(connector))[0]!;
const serverKey = async (of = connector) => (await writeKeys.serverKeyOf(of))!;

test("a new connector has one server key, and keeps it when its secret is rolled", async () => {
  const keys = await writeKeys.list(connector);
  expect(keys).toMatchObject([{ kind: "server", domains: [], apps: [], trustsIdentify: false, lastUsedAt: null }]);
  expect(keys[0]!.key).toMatch(/^wks_[A-Za-z0-9]{32}$/);
  await store.rotateSecret(acme, connector.id);
  expect(await writeKeys.list(connector)).toEqual(keys);
});

test("two processes that ask first at the same time get the same text", async () => {
  const [mine, theirs] = await Promise.all([writeKeys.list(connector), elsewhere.list(connector)]);
  expect(mine).toEqual(theirs);
});

test("the database has the text of a key only encrypted and as a hash", async () => {
  const key = await serverKey();
  const { rows } = await database.query<{ row: string }>(
    "select write_keys::text as row from write_keys where connector_id = $1",
    [connector.id],
  );
  const plain = Buffer.from(key);
  expect(rows).toHaveLength(1);
  expect(rows[0]!.row).not.toContain(key);
  expect(rows[0]!.row).not.toContain(plain.toString("hex"));
});

test("a key finds its own connector and organization, and those of nobody else", async () => {
  const theirs = await store.create(other, { name: "Theirs" });
  const found = [await writeKeys.find(await serverKey()), await writeKeys.find(await serverKey(theirs), 1_000)];
  expect(found.map((holder) => [holder?.organization.id, holder?.connector.id])).toEqual([
    [acme, connector.id],
    [other, theirs.id],
  ]);
  expect(found[0]?.writeKey).toMatchObject({ kind: "server", trustsIdentify: false });
});

test("keys of one organization cannot be listed, changed, rolled or deleted by another", async () => {
  const key = await serverKey();
  const { id } = await firstKey();
  const disguised = { ...connector, organizationId: other };
  expect(await writeKeys.list(disguised)).toEqual([]);
  expect(await writeKeys.update(disguised, id, { name: "Mine now" })).toBeUndefined();
  expect(await writeKeys.roll(disguised, id)).toBeUndefined();
  expect(await writeKeys.remove(disguised, id)).toBe(false);
  await expect(writeKeys.create(disguised, page)).rejects.toThrow();
  // The keys of another connector of the same organization are out of reach too.
  const neighbour = await store.create(acme, { name: "Neighbour" });
  expect(await writeKeys.roll(neighbour, id)).toBeUndefined();
  expect(await writeKeys.remove(neighbour, id)).toBe(false);
  expect((await writeKeys.find(key))?.writeKey.id).toBe(id);
});

test("texts that are no key find nobody", async () => {
  const texts = ["", "wks_", `wks_${"a".repeat(32)}`, "wks_".padEnd(100_000, "a"), connector.secret, connector.id];
  for (const text of texts) expect(await writeKeys.find(text, 1_000)).toBeUndefined();
});

test("a rolled key and a deleted key stop working at once in this process, whatever age is allowed", async () => {
  const { id, key } = await firstKey();
  expect((await writeKeys.find(key, 60_000))?.connector.id).toBe(connector.id);
  const rolled = (await writeKeys.roll(connector, id))!;
  expect(rolled).toMatchObject({ id, kind: "server" });
  expect(await writeKeys.find(key, 60_000)).toBeUndefined();
  expect((await writeKeys.find(rolled.key, 60_000))?.writeKey.id).toBe(id);
  expect(await writeKeys.remove(connector, id)).toBe(true);
  expect(await writeKeys.find(rolled.key, 60_000)).toBeUndefined();
  // A deleted key is not made again.
  expect(await writeKeys.list(connector)).toEqual([]);
  expect(await writeKeys.serverKeyOf(connector)).toBeUndefined();
});

test("other processes learn of a rolled key when their answer is too old", async () => {
  const { id, key } = await firstKey();
  expect((await elsewhere.find(key, 300))?.writeKey.id).toBe(id);
  await writeKeys.roll(connector, id);
  expect((await elsewhere.find(key, 300))?.writeKey.id).toBe(id);
  await sleep(350);
  expect(await elsewhere.find(key, 300)).toBeUndefined();
});

test("removing a connector removes its keys, and a disabled connector is still found", async () => {
  const key = await serverKey();
  await writeKeys.find(key, 60_000);
  await store.update(acme, connector.id, { enabled: false });
  expect((await writeKeys.find(key, 60_000))?.connector.enabled).toBe(false);
  await store.remove(acme, connector.id);
  expect(await writeKeys.find(key, 60_000)).toBeUndefined();
  const { rows } = await database.query("select from write_keys where connector_id = $1", [connector.id]);
  expect(rows).toEqual([]);
});

test("a page key has domains, apps and the switch; a change leaves out what it does not name", async () => {
  const created = await writeKeys.create(connector, page);
  expect(created.key).toMatch(/^wkp_[A-Za-z0-9]{32}$/);
  await writeKeys.find(created.key, 60_000);
  const changed = await writeKeys.update(connector, created.id, { apps: ["com.example.shop"], trustsIdentify: true });
  expect(changed).toEqual({ ...created, apps: ["com.example.shop"], trustsIdentify: true });
  expect((await writeKeys.find(created.key, 60_000))?.writeKey).toEqual({
    id: created.id,
    kind: "page",
    domains: ["shop.example.com"],
    apps: ["com.example.shop"],
    trustsIdentify: true,
  });
});

test.each<[string, Partial<WriteKeyFields>]>([
  ["without a domain or app", { domains: [] }],
  ["with a domain that no page has", { domains: ["https://shop.example.com"] }],
  ["for every host", { domains: ["*"] }],
  ["with an app that has spaces", { apps: ["My shop"] }],
  ["that is a server key with domains", { kind: "server" }],
  ["that is a server key with the switch", { kind: "server", domains: [], trustsIdentify: true }],
])("a key %s is refused", async (_what, fields) => {
  await expect(writeKeys.create(connector, { ...page, ...fields })).rejects.toThrow(/^The write key cannot be used: /);
});

test("a page key cannot lose its last domain", async () => {
  const { id } = await writeKeys.create(connector, page);
  await expect(writeKeys.update(connector, id, { domains: [] })).rejects.toThrow("needs at least one domain or app");
});

test("a connector has a bounded number of keys, also when they are created at the same time", async () => {
  const created = await Promise.allSettled(
    Array.from({ length: MAX_WRITE_KEYS + 2 }, () => writeKeys.create(connector, page)),
  );
  expect(created.filter(({ status }) => status === "fulfilled")).toHaveLength(MAX_WRITE_KEYS - 1);
  expect(await writeKeys.list(connector)).toHaveLength(MAX_WRITE_KEYS);
});

test("a note that cannot be written fails no call, and the next call writes it", async () => {
  const holder = (await writeKeys.find(await serverKey()))!;
  await database.query("alter table write_keys rename column last_used_at to another");
  await writeKeys.noteUse(holder);
  await database.query("alter table write_keys rename column another to last_used_at");
  await writeKeys.noteUse(holder);
  expect((await firstKey()).lastUsedAt).toBeInstanceOf(Date);
});

test("the last use of a key is noted, and not again within a minute", async () => {
  const holder = (await writeKeys.find(await serverKey()))!;
  await writeKeys.noteUse(holder);
  const [first] = await writeKeys.list(connector);
  expect(first!.lastUsedAt).toBeInstanceOf(Date);
  await writeKeys.noteUse(holder);
  expect(await writeKeys.list(connector)).toEqual([first]);
});
