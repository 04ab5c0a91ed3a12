import { readFile } from "node:fs/promises";
import { afterEach, beforeEach, expect, inject, test } from "vitest";
import { databaseUrl } from "../../testing/test-database.js";
import { type Database, openDatabase } from "./database.js";
import { describeSchema } from "./describe-schema.js";
import { migrate } from "./migrate.js";
import { readMigrationFiles } from "./migration-files.js";

const quiet = { slowQueryMs: 60_000, onSlowQuery: () => {}, onError: () => {} };
const NAME = "migrate_test";
const MIGRATIONS = new URL("../../../migrations/", import.meta.url);

let admin: Database;
let database: Database;
let files: string[];
beforeEach(async () => {
  files = (await readMigrationFiles()).map(({ name }) => name);
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

test("a database that takes no writes is not written to when nothing is pending", async () => {
  await migrate(database);
  database.setReadOnly(true);
  expect(await migrate(database)).toEqual([]);
});

test("no two migrations share a number", () => {
  const numbers = files.map((name) => name.slice(0, 4));
  expect(new Set(numbers).size).toBe(files.length);
});

test("SHA256SUMS has every migration as it was first committed (if one is missing: npm run generate)", async () => {
  const lines = (await readMigrationFiles()).map(({ name, checksum }) => `${checksum}  ${name}\n`);
  expect(await readFile(new URL("SHA256SUMS", MIGRATIONS), "utf8")).toBe(lines.join(""));
});

test("a database notes the checksum of each migration, also of those that an older version has run", async () => {
  await migrate(database);
  await database.query("alter table migrations drop column checksum");
  await database.query("delete from migrations where name = '0031-checksums-of-migrations.sql'");
  expect(await migrate(database)).toEqual(["0031-checksums-of-migrations.sql"]);
  const { rows } = await database.query("select name, checksum from migrations order by name");
  expect(rows).toEqual((await readMigrationFiles()).map(({ name, checksum }) => ({ name, checksum })));
});

test("a migration that was edited after it was run is refused, and the error names it", async () => {
  await migrate(database);
  await database.query("update migrations set checksum = 'of another text' where name like '0004%'");
  await expect(migrate(database)).rejects.toThrow(
    /differ from those .* \(0004-connectors\.sql\)\. Install Muster again/,
  );
});

/** The names that migrations had before two of them stopped sharing a number. */
const FORMER_NAMES: Record<string, string> = {
  "0007-rebuilds-and-erasures.sql": "0006-rebuilds-and-erasures.sql",
  "0008-exports.sql": "0007-exports.sql",
  "0009-connector-logs-and-traces.sql": "0008-connector-logs-and-traces.sql",
  "0010-generations.sql": "0009-generations.sql",
};

test("a database that lists migrations under their former names gets only those after them, and keeps its rows", async () => {
  const before = files.filter((name) => name < "0011");
  await database.query(
    "create table migrations (name text primary key, applied_at timestamptz not null default now())",
  );
  for (const name of before) {
    await database.query(await readFile(new URL(name, MIGRATIONS), "utf8"));
    await database.query("insert into migrations (name) values ($1)", [FORMER_NAMES[name] ?? name]);
  }
  await database.query("insert into organizations (id, namespace, name) values ('o', 'acme', 'Acme')");
  await database.query(
    `insert into segments (organization_id, id, entity, name, query, predicate, changes_with_time)
     values ('o', 's', 'account', 'Large', '{}', '{}', false)`,
  );
  expect(await migrate(database)).toEqual(files.slice(before.length));
  const segments = await database.query("select id, subject_type from segments");
  expect(segments.rows).toEqual([{ id: "s", subject_type: "account" }]);
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
