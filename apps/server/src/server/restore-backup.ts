import { buffer } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { BackupError, type BackupHeader } from "../runtime/backup-file/backup-format.js";
import { type BackupPart, openBackup } from "../runtime/backup-file/backup-parts.js";
import { keyCheck, openKey, type SealedKey } from "../runtime/backup-file/sealed-key.js";
import type { Config } from "../runtime/settings/config.js";
import { differentSettings } from "../runtime/settings/data-settings.js";
import { isEmptyDatabase, TableLoader } from "../storage/postgres/backup/table-loader.js";
import { countFromBaseline, LAST_BEFORE_BASELINE } from "../storage/postgres/baseline.js";
import { holdCalls } from "../storage/postgres/delivery/held-calls.js";
import { readMigrationFiles } from "../storage/postgres/migration-files.js";
import { namingEngine, POSTGRES } from "./engine-failure.js";
import { openPostgresOnce } from "./open-postgres-once.js";
import { openRestoreFolder, type RestoreFolder } from "./restore-folder.js";

export interface RestoreOptions {
  source: AsyncIterable<Buffer>;
  passphrase: string | undefined;
  /** Connectors are called at once, because the server that the backup was made of will not run again. */
  callsConnectors: boolean;
  /** Called with the bytes that are restored, and the estimated total. */
  onProgress(done: number, estimated: number): void;
}

export interface RestoreReport {
  created_at: string;
  version: string;
  organizations: BackupHeader["organizations"];
  rows: number;
  files: number;
  holds_deliveries: boolean;
  /** Settings of the backup's server that have another value here. */
  different_settings: Record<string, string>;
}

/**
 * Restores a backup into an empty data directory, and into an empty database where DATABASE_URL names one. All or
 * nothing: the database is filled in one transaction, and until the end no server starts on the data directory.
 */
export async function restoreBackup(config: Config, options: RestoreOptions): Promise<RestoreReport> {
  let estimated = 0;
  const backup = await openBackup(options.source, (done) => options.onProgress(done, estimated));
  const { parts } = backup;
  const header = await readHeader(backup.header);
  estimated = header.estimated_bytes;
  const { secretKey, rest } = await readKey(config, header, parts, options.passphrase);
  const folder = await openRestoreFolder(config.dataDir);
  try {
    const counts = await fill(config, folder, { header, parts: rest, secretKey, isHeld: !options.callsConnectors });
    await folder.finish();
    return {
      created_at: header.created_at,
      version: header.version,
      organizations: header.organizations,
      ...counts,
      holds_deliveries: !options.callsConnectors,
      different_settings: differentSettings(header.settings, config),
    };
  } catch (error) {
    await folder.discard();
    throw error;
  } finally {
    folder.release();
  }
}

/** The header, with the baseline among its migrations. Refuses a backup of another schema than this version can make. */
async function readHeader(header: BackupHeader): Promise<BackupHeader> {
  const { applied, missing } = await countFromBaseline(new Map(header.migrations.map((name) => [name, null])));
  if (missing.length > 0) {
    throw new BackupError(
      `The backup is older than the first migration of this version: its database lacks ${missing.join(", ")}. Restore it with commit ${LAST_BEFORE_BASELINE} of the repository, start that server once, and make a new backup of it.`,
    );
  }
  const known = (await readMigrationFiles()).map(({ name }) => name);
  const migrations = [...applied.keys()];
  const unknown = migrations.filter((name) => !known.includes(name));
  if (unknown.length === 0) return { ...header, migrations };
  throw new BackupError(
    `The backup was made by a newer Muster (${header.version}), whose database has ${unknown.join(", ")}. Restore it with that version.`,
  );
}

/** The key of the backup, which its first part has, and the parts after it. */
async function readKey(
  { secretKey: ownKey }: Config,
  { key_check }: BackupHeader,
  parts: AsyncGenerator<BackupPart>,
  passphrase: string | undefined,
): Promise<{ secretKey: string; rest: AsyncIterable<BackupPart> }> {
  const { value: first } = (await parts.next()) as IteratorResult<BackupPart, undefined>;
  const sealed = first?.head.kind === "keys" ? await readSealedKey(first) : undefined;
  const rest = sealed || !first ? parts : startingWith(first, parts);
  if (ownKey !== undefined) {
    if (keyCheck(ownKey) === key_check) return { secretKey: ownKey, rest };
    throw new BackupError("SECRET_KEY is not the key of this backup. Set it to that key, or leave it out.");
  }
  if (!sealed) throw new BackupError("The backup was made without its key. Set SECRET_KEY to the key of its server.");
  if (passphrase === undefined) throw new BackupError("The backup needs its passphrase: give --passphrase-file.");
  const secretKey = await openKey(sealed, passphrase);
  if (keyCheck(secretKey) !== key_check) throw new BackupError("The backup is damaged: its key is another one.");
  return { secretKey, rest };
}

/** The caller of the server wrote it, and a sealed text that was changed does not open. */
async function readSealedKey({ content }: BackupPart): Promise<SealedKey> {
  return JSON.parse((await buffer(content)).toString()) as SealedKey;
}

async function* startingWith(first: BackupPart, parts: AsyncGenerator<BackupPart>): AsyncGenerator<BackupPart> {
  yield first;
  yield* parts;
}

interface Content {
  header: BackupHeader;
  parts: AsyncIterable<BackupPart>;
  secretKey: string;
  isHeld: boolean;
}

async function fill(
  config: Config,
  folder: RestoreFolder,
  { header, parts, secretKey, isHeld }: Content,
): Promise<{ rows: number; files: number }> {
  const database = await openPostgresOnce(config, config.databaseUrl);
  try {
    const session = await namingEngine(config.databaseUrl === undefined ? undefined : POSTGRES, () =>
      database.openCopySession(),
    );
    try {
      if (!(await isEmptyDatabase(session))) {
        throw new BackupError("The database of DATABASE_URL has tables. A backup is restored into an empty database.");
      }
      const loader = await TableLoader.begin(session, header);
      const counts = { rows: 0, files: 0 };
      for await (const part of parts) {
        if (part.head.kind === "file") {
          await folder.writeFile(part.head.path, part.content);
          counts.files += 1;
        } else if (part.head.kind === "table") counts.rows += await loadTable(loader, part, part.head);
        else throw new BackupError("The backup is damaged: it has two keys.");
      }
      const tx = await loader.finish(header.sequences);
      if (isHeld) await holdCalls(tx, new Date(header.created_at));
      if (config.secretKey === undefined) await folder.writeKey(secretKey);
      await loader.commit();
      return counts;
    } finally {
      await session.close();
    }
  } finally {
    await database.close();
  }
}

async function loadTable(
  loader: TableLoader,
  { content, end }: BackupPart,
  { name, columns }: { name: string; columns: string[] },
): Promise<number> {
  const rows = loader.open(name, columns);
  await pipeline(content, rows);
  const expected = end()?.rows;
  if (rows.rowCount === expected) return rows.rowCount;
  throw new BackupError(
    `The table ${name} has ${rows.rowCount} rows after the restore, and ${expected} in the backup.`,
  );
}
