import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { fillTables, readTables, type StoredRow } from "../../testing/fill-tables.js";
import { databaseUrl } from "../../testing/test-database.js";
import { type Database, openDatabase } from "./database.js";
import { describeSchema } from "./describe-schema.js";
import { migrate } from "./migrate.js";
import { readMigrationFiles } from "./migration-files.js";

const quiet = { slowQueryMs: 60_000, onSlowQuery: () => {}, onError: () => {} };
const files = await readMigrationFiles();
const schema = await readFile(new URL("../../../schema.sql", import.meta.url), "utf8");

let admin: Database;
beforeAll(() => {
  admin = openDatabase({ url: inject("postgresUrl"), ...quiet });
});
afterAll(() => admin.close());

async function withEmptyDatabase(name: string, work: (database: Database) => Promise<void>): Promise<void> {
  await admin.query(`create database ${name}`);
  const database = openDatabase({ url: databaseUrl(inject("postgresUrl"), name), ...quiet });
  try {
    await work(database);
  } finally {
    await database.close();
    await admin.query(`drop database ${name} with (force)`);
  }
}

/** Runs a migration as an older version did it, which stored no checksum. */
async function migrateAsBefore(database: Database, { name, sql }: { name: string; sql: string }): Promise<void> {
  await database.query(sql);
  await database.query("insert into migrations (name) values ($1)", [name]);
}

async function createMigrationsTable(database: Database): Promise<void> {
  await database.query(
    "create table migrations (name text primary key, applied_at timestamptz not null default now())",
  );
}

test("a database with rows of every version in every table comes to the schema of today and keeps them", async () => {
  await withEmptyDatabase("upgrade_all", async (database) => {
    await createMigrationsTable(database);
    let before = new Map<string, StoredRow[]>();
    for (const [index, file] of files.entries()) {
      await migrateAsBefore(database, file);
      expect(lostRows(before, await readTables(database)), file.name).toEqual([]);
      // Later migrations meet rows as each of the versions before them wrote them.
      await fillTables(database, index + 1);
      before = await readTables(database);
      const empty = [...before].filter(([, rows]) => rows.length === 0);
      expect(
        empty.map(([table]) => table),
        file.name,
      ).toEqual([]);
    }
    expect(await migrate(database)).toEqual([]);
    expect(await describeSchema(database)).toBe(schema);
  });
});

test.each([1, Math.ceil(files.length / 2), files.length - 1])(
  "a server of today brings a database with %i migrations of an older one to its schema, and the rows stay",
  async (count) => {
    await withEmptyDatabase(`upgrade_${count}`, async (database) => {
      await createMigrationsTable(database);
      for (const file of files.slice(0, count)) await migrateAsBefore(database, file);
      for (const number of [1, 2]) await fillTables(database, number);
      const before = await readTables(database);
      expect(await migrate(database)).toEqual(files.slice(count).map(({ name }) => name));
      expect(await describeSchema(database)).toBe(schema);
      expect(lostRows(before, await readTables(database))).toEqual([]);
    });
  },
);

/** Rows of before that are not there any more, or differ in a column that is still there. */
function lostRows(before: Map<string, StoredRow[]>, after: Map<string, StoredRow[]>): unknown[] {
  return [...before].flatMap(([table, rows]) => {
    const kept = after.get(table) ?? [];
    return rows.filter((row) => !kept.some((candidate) => agree(row, candidate))).map((row) => ({ table, row }));
  });
}

function agree(row: StoredRow, candidate: StoredRow): boolean {
  return Object.keys(row)
    .filter((column) => column in candidate)
    .every((column) => JSON.stringify(row[column]) === JSON.stringify(candidate[column]));
}
