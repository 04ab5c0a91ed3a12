import { BACKUP_LOCK } from "./backup/backup-lock.js";
import { type Database, isForbidden, type Queryable, type Transaction } from "./database.js";
import { type MigrationFile, readMigrationFiles } from "./migration-files.js";

// Two migrations once had the same number, so some were renamed. Older databases list them under their former names.
const FORMER_NAMES: Readonly<Record<string, string>> = {
  "0006-rebuilds-and-erasures.sql": "0007-rebuilds-and-erasures.sql",
  "0007-exports.sql": "0008-exports.sql",
  "0008-connector-logs-and-traces.sql": "0009-connector-logs-and-traces.sql",
  "0009-generations.sql": "0010-generations.sql",
};

// An arbitrary number. All processes that migrate the same database take the same lock.
const MIGRATION_LOCK = 7_201_984;

/** Adds the column of checksums. A backup may be of an older schema. */
const FIRST_WITH_CHECKSUMS = "0031-checksums-of-migrations.sql";

/** The migrations that were run, with their checksums. Older versions stored none. */
type Applied = ReadonlyMap<string, string | null>;

/** Runs all pending migrations in one transaction, under a lock, however long they take. Returns their names. */
export async function migrate(database: Database): Promise<string[]> {
  const files = await readMigrationFiles();
  const present = await readApplied(database);
  requireUnchanged(files, present);
  // Without a write when nothing is pending: a server must also start while the disk is nearly full.
  if (isUpToDate(files, present)) return [];
  const pending = files.filter(({ name }) => !present.has(name)).map(({ name }) => name);
  const migrating = database.transaction(
    async (tx) => {
      await tx.query("select pg_advisory_xact_lock($1)", [MIGRATION_LOCK]);
      // A migration that waited for a table in the middle of a backup would hold up the servers that still work.
      await tx.query("select pg_advisory_xact_lock($1)", [BACKUP_LOCK]);
      return runMigrations(tx, files);
    },
    { isPatient: true },
  );
  return migrating.catch((error: unknown) => {
    if (!isForbidden(error)) throw error;
    throw new Error(
      `The role of DATABASE_URL may not change the schema, which needs ${pending.join(", ")}. Run: muster start --migrate-only, with the role that owns the tables in DATABASE_URL.`,
    );
  });
}

/** Runs those of `files` that were not run before. Returns their names. */
export async function runMigrations(tx: Transaction, files: readonly MigrationFile[]): Promise<string[]> {
  await tx.query(`
    create table if not exists migrations (
      name text primary key,
      applied_at timestamptz not null default now()
    )`);
  for (const [former, name] of Object.entries(FORMER_NAMES)) {
    await tx.query("update migrations set name = $2 where name = $1", [former, name]);
  }
  const applied = await readRows(tx);
  requireKnown(files, applied);
  const pending = files.filter(({ name }) => !applied.has(name));
  for (const { name, sql } of pending) {
    await tx.query(sql);
    await tx.query("insert into migrations (name) values ($1)", [name]);
  }
  if (files.some(({ name }) => name >= FIRST_WITH_CHECKSUMS)) await storeChecksums(tx, files);
  return pending.map(({ name }) => name);
}

function isUpToDate(files: readonly MigrationFile[], applied: Applied): boolean {
  return applied.size === files.length && files.every(({ name }) => applied.has(name));
}

function requireKnown(files: readonly MigrationFile[], applied: Applied): void {
  const unknown = [...applied.keys()].filter((name) => !files.some((file) => file.name === name));
  if (unknown.length === 0) return;
  throw new Error(
    `The database was migrated by a newer Muster (${unknown.join(", ")}). Start that version, or restore a backup.`,
  );
}

function requireUnchanged(files: readonly MigrationFile[], applied: Applied): void {
  const edited = files.filter(({ name, checksum }) => (applied.get(name) ?? checksum) !== checksum);
  if (edited.length === 0) return;
  const names = edited.map(({ name }) => name).join(", ");
  throw new Error(
    `The migrations in the program differ from those that this database was made with (${names}). Install Muster again, unchanged. A change of the schema needs a new migration.`,
  );
}

async function storeChecksums(tx: Queryable, files: readonly MigrationFile[]): Promise<void> {
  await tx.query(
    `update migrations m
     set checksum = f.checksum
     from unnest($1::text[], $2::text[]) as f (name, checksum)
     where m.name = f.name and m.checksum is null`,
    [files.map(({ name }) => name), files.map(({ checksum }) => checksum)],
  );
}

/** What is noted in the database; nothing in a new one. */
export async function readApplied(database: Queryable): Promise<Applied> {
  const { rows } = await database.query<{ exists: boolean }>("select to_regclass('migrations') is not null as exists");
  return rows[0]?.exists ? readRows(database) : new Map();
}

async function readRows(database: Queryable): Promise<Applied> {
  // Databases of older versions have no column of checksums, so it is not named here.
  const { rows } = await database.query<{ name: string; checksum: string | null }>(
    "select name, to_jsonb(m) ->> 'checksum' as checksum from migrations m",
  );
  return new Map(rows.map(({ name, checksum }) => [name, checksum]));
}
