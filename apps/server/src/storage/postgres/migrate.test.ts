import { readFile } from "node:fs/promises";
import { createId } from "@muster/protocol";
import { afterEach, beforeEach, expect, inject, test } from "vitest";
import { databaseUrl } from "../../testing/test-database.js";
import { type Database, isUniqueViolation, openDatabase } from "./database.js";
import { describeSchema } from "./describe-schema.js";
import { migrate, runMigrations } from "./migrate.js";
import { readMigrationFiles } from "./migration-files.js";
import { createSegment, findNamesake, listSegments, removeSegment, updateSegment } from "./segments/segments.js";

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

test("a database notes the checksum of each migration", async () => {
  await migrate(database);
  const { rows } = await database.query("select name, checksum from migrations order by name");
  expect(rows).toEqual((await readMigrationFiles()).map(({ name, checksum }) => ({ name, checksum })));
});

test("a migration that was edited after it was run is refused, and the error names it", async () => {
  await migrate(database);
  await database.query("update migrations set checksum = 'of another text' where name like '0036%'");
  await expect(migrate(database)).rejects.toThrow(/differ from those .* \(0036-baseline\.sql\)\. Install Muster again/);
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

test("segments that have one name keep it when names become unique, and own a new name once they are renamed", async () => {
  const all = await readMigrationFiles();
  const earlier = all.slice(
    0,
    all.findIndex(({ name }) => name.endsWith("-segment-names.sql")),
  );
  await database.transaction((tx) => runMigrations(tx, earlier));
  const [acme, other] = [createId("organization"), createId("organization")];
  await database.query("insert into organizations (id, namespace, name) values ($1, 'acme', 'A'), ($2, 'other', 'B')", [
    acme,
    other,
  ]);
  const insert = (organizationId: string, id: string, name: string) =>
    database.query(
      `insert into segments (organization_id, id, subject_type, name, query, predicate, changes_with_time)
       values ($1, $2, 'user', $3, '{}', '{}', false)`,
      [organizationId, id, name],
    );
  for (const [index, name] of ["Pros", "pros ", "Pros", "Free"].entries()) await insert(acme, `s${index}`, name);
  await insert(other, "s0", "Pros");

  await migrate(database);
  const named = async () => (await listSegments(database, acme)).map(({ name }) => name);
  expect(await named()).toEqual(["Pros", "pros ", "Pros", "Free"]);
  const definition = { query: { match_all: {} }, predicate: {}, changesWithTime: false };
  const change = (id: string, name: string) => updateSegment(database, acme, id, { ...definition, name });
  expect(await change("s2", "Pros")).toMatchObject({ name: "Pros", revision: 2 });
  await expect(createSegment(database, acme, "account", { ...definition, name: "PROS" })).rejects.toSatisfy(
    isUniqueViolation,
  );
  // The name is still shared when its owner is gone.
  await removeSegment(database, acme, "s0");
  expect(await findNamesake(database, acme, "Pros")).toMatchObject({ id: "s1" });
  expect(await findNamesake(database, other, "Free")).toBeUndefined();
  await change("s1", "Renamed");
  await expect(change("s2", "renamed")).rejects.toSatisfy(isUniqueViolation);
});
