import { readdir } from "node:fs/promises";
import { afterEach, beforeEach, expect, inject, test } from "vitest";
import { databaseUrl } from "../../testing/test-database.js";
import { type Database, openDatabase } from "./database.js";
import { describeSchema } from "./describe-schema.js";
import { migrate } from "./migrate.js";

const quiet = { slowQueryMs: 60_000, onSlowQuery: () => {}, onError: () => {} };
const NAME = "migrate_test";

let admin: Database;
let database: Database;
let files: string[];
beforeEach(async () => {
  files = (await readdir(new URL("../../../migrations/", import.meta.url))).sort();
  admin = openDatabase({ url: inject("postgresUrl"), ...quiet });
  await admin.query(`create database ${NAME}`);
  database = openDatabase({ url: databaseUrl(inject("postgresUrl"), NAME), ...quiet });
});
afterEach(async () => {
  await database.close();
  await admin.query(`drop database ${NAME} with (force)`);
  await admin.close();
});

test("an empty database gets every migration in order, and a second run does nothing", async () => {
  expect(await migrate(database)).toEqual(files);
  const schema = await describeSchema(database);
  expect(await migrate(database)).toEqual([]);
  expect(await describeSchema(database)).toBe(schema);
});

test("no two migrations share a number", () => {
  const numbers = files.map((name) => name.slice(0, 4));
  expect(new Set(numbers).size).toBe(files.length);
});

test("a database that lists migrations under their former names is not migrated again", async () => {
  await migrate(database);
  const former = ["0006-rebuilds-and-erasures.sql", "0007-exports.sql", "0009-generations.sql"];
  const names = ["0007-rebuilds-and-erasures.sql", "0008-exports.sql", "0010-generations.sql"];
  for (const [index, name] of names.entries()) {
    await database.query("update migrations set name = $2 where name = $1", [name, former[index]]);
  }
  expect(await migrate(database)).toEqual([]);
  const { rows } = await database.query<{ name: string }>("select name from migrations order by name");
  expect(rows.map(({ name }) => name)).toEqual(files);
});

test("several servers that start at the same time run each migration once", async () => {
  const ran = await Promise.all([migrate(database), migrate(database), migrate(database), migrate(database)]);
  expect(ran.flat()).toEqual(files);
});

test("a database with an unknown migration is refused and not changed, and the error names the migration", async () => {
  await migrate(database);
  await database.query("insert into migrations (name) values ('9999-from-the-future.sql')");
  const schema = await describeSchema(database);
  await expect(migrate(database)).rejects.toThrow(/newer Muster \(9999-from-the-future\.sql\)/);
  expect(await describeSchema(database)).toBe(schema);
});

test("when a migration fails, neither it nor those before it change the database", async () => {
  await database.query("create table connectors (unexpected text)");
  await expect(migrate(database)).rejects.toThrow(/"connectors" already exists/);
  const { rows } = await database.query("select to_regclass('organizations') as organizations");
  expect(rows).toEqual([{ organizations: null }]);
});
