import type { Queryable } from "../database.js";

/** Since when calls to connectors are paused, and the time of the restored backup. */
export interface HeldCalls {
  since: Date;
  backupOf: Date;
}

/** Pauses calls to connectors in every process on this database. */
export async function holdCalls(tx: Queryable, backupOf: Date): Promise<void> {
  await tx.query("insert into held_calls (backup_of) values ($1)", [backupOf]);
}

export async function readHeldCalls(database: Queryable): Promise<HeldCalls | undefined> {
  const { rows } = await database.query<HeldCalls>('select since, backup_of as "backupOf" from held_calls');
  return rows[0];
}

/** Allows calls to connectors again. Returns whether they were paused. */
export async function releaseCalls(database: Queryable): Promise<boolean> {
  const { rowCount } = await database.query("delete from held_calls");
  return rowCount === 1;
}
