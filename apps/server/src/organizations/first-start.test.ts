import { afterEach, beforeEach, expect, test } from "vitest";
import { createVault } from "../runtime/secrets/vault.js";
import { ConnectorStore } from "../storage/postgres/connectors/connectors.js";
import { type Database, openDatabase } from "../storage/postgres/database.js";
import { createTestDatabase } from "../testing/test-database.js";
import { ensureFirstCredentials } from "./first-start.js";
import { Organizations } from "./organizations.js";

let database: Database;
beforeEach(async () => {
  const quiet = { slowQueryMs: 60_000, onSlowQuery: () => {}, onError: () => {} };
  database = openDatabase({ url: await createTestDatabase(), ...quiet });
});
afterEach(() => database.close());

test("the first start creates an organization and a connector, later starts return them", async () => {
  const options = optionsOf(database);
  const first = await ensureFirstCredentials(options);
  expect(first).toMatchObject({ organization: { namespace: "default" }, connector: { name: "API" }, areNew: true });
  expect(await ensureFirstCredentials(options)).toEqual({ ...first, areNew: false });
  expect(await options.organizations.list()).toHaveLength(1);

  await database.query("delete from connectors");
  expect(await ensureFirstCredentials(options)).toBeUndefined();
});

test("of several processes that start first at the same moment, one creates them and none fails", async () => {
  const options = optionsOf(database);
  const found = await Promise.all(Array.from({ length: 5 }, () => ensureFirstCredentials(options)));
  expect(found.filter((credentials) => credentials?.areNew)).toHaveLength(1);
  expect(await options.organizations.list()).toHaveLength(1);
  expect((await ensureFirstCredentials(options))?.connector.name).toBe("API");
});

function optionsOf(opened: Database) {
  return { organizations: new Organizations(opened), connectors: new ConnectorStore(opened, createVault("key")) };
}
