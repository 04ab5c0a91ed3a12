import { readdir, readFile } from "node:fs/promises";
import type { Database, Queryable } from "./database.js";

const MIGRATIONS = new URL("../../../migrations/", import.meta.url);

// Two migrations once had the same number, so some were renamed. Older databases list them under their former names.
const FORMER_NAMES: Readonly<Record<string, string>> = {
  "0006-rebuilds-and-erasures.sql": "0007-rebuilds-and-erasures.sql",
  "0007-exports.sql": "0008-exports.sql",
  "0008-connector-logs-and-traces.sql": "0009-connector-logs-and-traces.sql",
  "0009-generations.sql": "0010-generations.sql",
};

// An arbitrary number. All processes that migrate the same database take the same lock.
const MIGRATION_LOCK = 7_201_984;

/** Runs all pending migrations in one transaction, under a lock, however long they take. Returns their names. */
export async function migrate(database: Database): Promise<string[]> {
  const files = (await readdir(MIGRATIONS)).filter((name) => name.endsWith(".sql")).sort();
  // Without a write when nothing is pending: a server must also start while the disk is nearly full.
  if (isUpToDate(files, await readApplied(database))) return [];
  return database.transaction(
    async (tx) => {
      await tx.query("select pg_advisory_xact_lock($1)", [MIGRATION_LOCK]);
      await tx.query(`
      create table if not exists migrations (
        name text primary key,
        applied_at timestamptz not null default now()
      )`);
      for (const [former, name] of Object.entries(FORMER_NAMES)) {
        await tx.query("update migrations set name = $2 where name = $1", [former, name]);
      }
      const applied = await readNames(tx);
      const unknown = [...applied].filter((name) => !files.includes(name));
      if (unknown.length > 0) {
        throw new Error(
          `The database was migrated by a newer Muster (${unknown.join(", ")}). Start that version, or restore a backup.`,
        );
      }
      const pending = files.filter((name) => !applied.has(name));
      for (const name of pending) {
        await tx.query(await readFile(new URL(name, MIGRATIONS), "utf8"));
        await tx.query("insert into migrations (name) values ($1)", [name]);
      }
      return pending;
    },
    { isPatient: true },
  );
}

function isUpToDate(files: readonly string[], applied: ReadonlySet<string>): boolean {
  return applied.size === files.length && files.every((name) => applied.has(name));
}

/** The names of the migrations that were run; none in a new database. */
async function readApplied(database: Queryable): Promise<Set<string>> {
  const { rows } = await database.query<{ exists: boolean }>("select to_regclass('migrations') is not null as exists");
  return rows[0]?.exists ? readNames(database) : new Set();
}

async function readNames(database: Queryable): Promise<Set<string>> {
  const { rows } = await database.query<{ name: string }>("select name from migrations");
  return new Set(rows.map(({ name }) => name));
}
