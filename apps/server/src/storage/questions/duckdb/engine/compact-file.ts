import { rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { syncFolder } from "../../../../runtime/disk/sync-folder.js";
import type { Engine } from "./engine.js";

// About a hundred megabytes. A table of 60 columns is copied in row groups.
const VALUES_AT_ONCE = 8_000_000;
const MIN_ROWS = 2_048;

/**
 * Replaces a file that is not attached by a copy with the same rows. DuckDB marks rows as deleted and frees blocks, but
 * leaves both in the file, where everybody with access to the disk can read them. The copy has none of that.
 */
export async function compactFile(engine: Engine, path: string, organizationId: string): Promise<void> {
  const copy = `${path}.copy`;
  const [from, to] = [`old_${organizationId}`, `new_${organizationId}`];
  await removeFile(copy);
  try {
    await engine.attach(path, from);
    try {
      await engine.attach(copy, to);
      try {
        await engine.run(`copy from database ${from} to ${to} (schema)`);
        await copyRows(engine, from, to);
      } finally {
        await engine.run(`detach ${to}`);
      }
    } finally {
      await engine.run(`detach ${from}`);
    }
    // The log goes first: after a crash, DuckDB must not apply the log of the old file to the copy. What the old file
    // then lacks, the pipeline writes again.
    await rm(`${path}.wal`, { force: true });
    await rename(copy, path);
    await syncFolder(dirname(path));
  } finally {
    await removeFile(copy);
  }
}

/**
 * Copies in pieces with a checkpoint after each, because rows that are not in the file yet take memory. The rows keep their
 * order: the times of events are noted up to a row, and sorted runs of them stay sorted. The engine would mix what its
 * threads read.
 */
async function copyRows(engine: Engine, from: string, to: string): Promise<void> {
  const tables = await engine.rows<{ name: string; columns: bigint }>({
    sql: `select table_name as name, column_count as columns from duckdb_tables() where database_name = '${from}'`,
    params: {},
  });
  for (const { name, columns } of tables) {
    const [last] = await engine.rows<{ row: bigint | null }>({
      sql: `select max(rowid) as row from ${from}.${name}`,
      params: {},
    });
    const size = Math.max(MIN_ROWS, Math.floor(VALUES_AT_ONCE / Number(columns)));
    for (let start = 0; start <= Number(last?.row ?? -1); start += size) {
      await engine.run(
        `insert into ${to}.${name} select * from ${from}.${name}
         where rowid >= ${start} and rowid < ${start + size} order by rowid`,
      );
      await engine.checkpoint(to, false);
    }
  }
}

/** Removes a file of the engine together with its write-ahead log. */
export async function removeFile(path: string): Promise<void> {
  await rm(path, { force: true });
  await rm(`${path}.wal`, { force: true });
}
