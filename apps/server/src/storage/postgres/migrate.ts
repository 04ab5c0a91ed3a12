import { BACKUP_LOCK } from "./backup/backup-lock.js";
import { type Applied, countFromBaseline, editedOf, LAST_BEFORE_BASELINE } from "./baseline.js";
import { type Database, isForbidden, type Queryable, type Transaction } from "./database.js";
import { type MigrationFile, readMigrationFiles } from "./migration-files.js";

// An arbitrary number. All processes that migrate the same database take the same lock.
const MIGRATION_LOCK = 7_201_984;

/** Runs all pending migrations in one transaction, under a lock, however long they take. Returns their names. */
export async function migrate(database: Database): Promise<string[]> {
  const files = await readMigrationFiles();
  const present = await readApplied(database);
  requireUnchanged(editedOf(files, present));
  // Writes nothing when no migration is pending, because a server must also start while the disk is nearly full.
  if (isUpToDate(files, present)) return [];
  const pending = files.filter(({ name }) => !present.has(name)).map(({ name }) => name);
  const migrating = database.transaction(
    async (tx) => {
      await tx.query("select pg_advisory_xact_lock($1)", [MIGRATION_LOCK]);
      // A migration that waited for a table during a backup would block the running servers.
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
      applied_at timestamptz not null default now(),
      checksum text
    )`);
  const applied = await readRows(tx);
  requireKnown(files, applied);
  const pending = files.filter(({ name }) => !applied.has(name));
  for (const { name, sql, checksum } of pending) {
    await tx.query(sql);
    await tx.query("insert into migrations (name, checksum) values ($1, $2)", [name, checksum]);
  }
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

/** The server refuses migrations that were edited: the database then has another schema than the files say. */
function requireUnchanged(edited: readonly string[]): void {
  if (edited.length === 0) return;
  throw new Error(
    `The migrations in the program differ from those that this database was made with (${edited.join(", ")}). Install Muster again, unchanged. A change of the schema needs a new migration.`,
  );
}

function requireBaseline(missing: readonly string[]): void {
  if (missing.length === 0) return;
  throw new Error(
    `The schema of the database is older than the first migration of this version: it lacks ${missing.join(", ")}. Start the server once from commit ${LAST_BEFORE_BASELINE} of the repository, which migrates the database, then start this version.`,
  );
}

/** The migrations that the database has; none in a new one. Refuses a database that is older than the baseline. */
export async function readApplied(database: Queryable): Promise<Applied> {
  const { rows } = await database.query<{ exists: boolean }>("select to_regclass('migrations') is not null as exists");
  return rows[0]?.exists ? readRows(database) : new Map();
}

async function readRows(database: Queryable): Promise<Applied> {
  // A database that is older than the baseline may have no column of checksums, so the column is not named here.
  const { rows } = await database.query<{ name: string; checksum: string | null }>(
    "select name, to_jsonb(m) ->> 'checksum' as checksum from migrations m",
  );
  const { applied, missing, edited } = await countFromBaseline(
    new Map(rows.map(({ name, checksum }) => [name, checksum])),
  );
  requireBaseline(missing);
  requireUnchanged(edited);
  return applied;
}
