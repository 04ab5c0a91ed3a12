import { afterAll, beforeAll, expect, test } from "vitest";
import { createVault } from "../runtime/vault.js";
import { ConnectorStore } from "../storage/postgres/connectors/connectors.js";
import { type Database, openDatabase } from "../storage/postgres/database.js";
import { createTestDatabase } from "../testing/test-database.js";
import { ensureFirstCredentials } from "./first-start.js";
import { Organizations } from "./organizations.js";

let database: Database;
beforeAll(async () => {
  const quiet = { slowQueryMs: 60_000, onSlowQuery: () => {}, onError: () => {} };
  database = openDatabase({ url: await createTestDatabase(), ...quiet });
});
afterAll(() => database.close());

test("the first start creates an organization and a connector, later starts return them", async () => {
  const options = {
    organizations: new Organizations(database),
    connectors: new ConnectorStore(database, createVault("key")),
  };
  const first = await ensureFirstCredentials(options);
  expect(first).toMatchObject({ organization: { namespace: "default" }, connector: { name: "API" }, areNew: true });
  expect(await ensureFirstCredentials(options)).toEqual({ ...first, areNew: false });
  expect(await options.organizations.list()).toHaveLength(1);

  await database.query("delete from connectors");
  expect(await ensureFirstCredentials(options)).toBeUndefined();
});
