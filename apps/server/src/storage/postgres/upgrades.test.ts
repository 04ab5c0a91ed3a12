// @module-tag long
import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { fillTables, readTables, type StoredRow } from "../../testing/fill-tables.js";
import { databaseUrl } from "../../testing/test-database.js";
import { type Database, openDatabase } from "./database.js";
import { describeSchema } from "./describe-schema.js";
import { migrate, readApplied } from "./migrate.js";
import { readMigrationFiles, readReplacedMigrations } from "./migration-files.js";

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

/** What a server of the last commit before the baseline left: its list of migrations, and the schema of the baseline. */
async function migrateToBaseline(database: Database): Promise<void> {
  await database.query(files[0]!.sql);
  const replaced = await readReplacedMigrations();
  await database.query("insert into migrations (name, checksum) select * from unnest($1::text[], $2::text[])", [
    [...replaced.keys()],
    [...replaced.values()],
  ]);
}

async function createMigrationsTable(database: Database): Promise<void> {
  await database.query(
    "create table migrations (name text primary key, applied_at timestamptz not null default now(), checksum text)",
  );
}

test("a database from before the baseline, with rows of every version in every table, comes to the schema of today and keeps them", async () => {
  await withEmptyDatabase("upgrade_all", async (database) => {
    await createMigrationsTable(database);
    await migrateToBaseline(database);
    await fillTables(database, 1);
    let before = await readTables(database);
    for (const [index, { name, sql, checksum }] of files.entries()) {
      if (index > 0) {
        await database.query(sql);
        await database.query("insert into migrations (name, checksum) values ($1, $2)", [name, checksum]);
      }
      expect(lostRows(before, await readTables(database)), name).toEqual([]);
      // Later migrations meet rows as each of the versions before them wrote them.
      await fillTables(database, index + 2);
      before = await readTables(database);
      const empty = [...before].filter(([, rows]) => rows.length === 0);
      expect(
        empty.map(([table]) => table),
        name,
      ).toEqual([]);
    }
    expect(await migrate(database)).toEqual([]);
    expect(await describeSchema(database)).toBe(schema);
    expect(lostRows(before, await readTables(database))).toEqual([]);
  });
});

test("a server of today runs what came after the baseline on a database from before it, and the rows stay", async () => {
  await withEmptyDatabase("upgrade_baseline", async (database) => {
    await createMigrationsTable(database);
    await migrateToBaseline(database);
    for (const number of [1, 2]) await fillTables(database, number);
    const before = await readTables(database);
    expect(await migrate(database)).toEqual(files.slice(1).map(({ name }) => name));
    expect(await describeSchema(database)).toBe(schema);
    expect(lostRows(before, await readTables(database))).toEqual([]);
    expect([...(await readApplied(database)).keys()].sort()).toEqual(files.map(({ name }) => name));
  });
});

test.each([1, 16, 31])(
  "a database with %i of the migrations that the baseline replaced is refused and not changed, and the error says what to do",
  async (count) => {
    await withEmptyDatabase(`older_${count}`, async (database) => {
      // As the first versions made it, without checksums.
      await database.query(
        "create table migrations (name text primary key, applied_at timestamptz not null default now())",
      );
      const names = [...(await readReplacedMigrations()).keys()];
      await database.query("insert into migrations (name) select unnest($1::text[])", [names.slice(0, count)]);
      const before = await describeSchema(database);
      const lacks = names.slice(count).join(", ");
      await expect(migrate(database)).rejects.toThrow(
        `it lacks ${lacks}. Start the server once from commit c024378b of the repository`,
      );
      expect(await describeSchema(database)).toBe(before);
    });
  },
);

test("a replaced migration that was edited before it was run is refused, and the error names it", async () => {
  await withEmptyDatabase("upgrade_edited", async (database) => {
    await createMigrationsTable(database);
    await migrateToBaseline(database);
    await database.query("update migrations set checksum = 'of another text' where name like '0004%'");
    await expect(migrate(database)).rejects.toThrow(/differ from those .* \(0004-connectors\.sql\)\. Install Muster/);
  });
});

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
