import type { Queryable } from "../database.js";

/** Since when no connector is called, and of which time the backup is that was restored. */
export interface HeldCalls {
  since: Date;
  backupOf: Date;
}

/** Makes every process on this database call no connector. */
export async function holdCalls(tx: Queryable, backupOf: Date): Promise<void> {
  await tx.query("insert into held_calls (backup_of) values ($1)", [backupOf]);
}

export async function readHeldCalls(database: Queryable): Promise<HeldCalls | undefined> {
  const { rows } = await database.query<HeldCalls>('select since, backup_of as "backupOf" from held_calls');
  return rows[0];
}

/** Lets connectors be called again. Returns whether they were not. */
export async function releaseCalls(database: Queryable): Promise<boolean> {
  const { rowCount } = await database.query("delete from held_calls");
  return rowCount === 1;
}
