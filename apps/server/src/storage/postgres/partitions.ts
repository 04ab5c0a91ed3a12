import { setTimeout as sleep } from "node:timers/promises";
import { DAY_MS } from "@muster/protocol";
import { BACKUP_LOCK } from "./backup/backup-lock.js";
import { type Database, isMissingPartition, type Queryable, type Transaction } from "./database.js";

/** Tables with a partition for each day. */
export const DAILY_TABLES = ["ingest_log", "connector_logs", "traces"] as const;
export type DailyTable = (typeof DAILY_TABLES)[number];

/** How many days the rows of each daily table are kept. */
export type DailyRetention = Record<DailyTable, number>;

const PARTITION_DAYS_AHEAD = 7;

// An arbitrary number. All processes that create or drop partitions take the same lock.
const PARTITIONS_LOCK = 7_201_986;
const LOCK_ATTEMPTS = 5;
const LOCK_PAUSE_MS = 20;

/** Creates the daily partitions of all logs for the coming days. */
export async function createPartitions(database: Database, now: Date): Promise<void> {
  for (const table of DAILY_TABLES) {
    await changePartitions(database, async (tx) => {
      for (let offset = -1; offset <= PARTITION_DAYS_AHEAD; offset++) {
        const day = dayOf(now.getTime() + offset * DAY_MS);
        // By a function of the owner: the server may run as a role that cannot change the schema.
        if (await hasTable(tx, partitionName(table, day))) continue;
        await tx.query("select create_daily_partition($1, $2)", [table, day]);
      }
    });
  }
}

/**
 * Creates the partition of a table for the day of `time`, unless it exists, in a schema of any age. It is attached after it was created:
 * `create table … partition of` needs the whole table alone. It would wait for the end of a backup, and all inserts would
 * wait behind it.
 */
export async function createPartition(tx: Transaction, table: DailyTable, time: number): Promise<void> {
  const day = dayOf(time);
  const name = partitionName(table, day);
  if (await hasTable(tx, name)) return;
  await tx.query(`create table ${name} (like ${table} including defaults including constraints including storage)`);
  await tx.query(
    `alter table ${table} attach partition ${name} for values from ('${day}') to ('${dayOf(time + DAY_MS)}')`,
  );
}

/**
 * Runs an insert into a daily table. When there is no partition for a row, the partitions are created and the insert is
 * repeated: upkeep creates them ahead, but a machine may have slept for weeks, and a clock can be set to any day.
 *
 * @param times The times of the rows. Without them the rows have the present time of the database.
 */
export async function withPartitions<Result>(
  database: Database,
  insert: () => Promise<Result>,
  times?: readonly Date[],
): Promise<Result> {
  try {
    return await insert();
  } catch (error) {
    if (!isMissingPartition(error)) throw error;
  }
  const days = new Map((times ?? [await readNow(database)]).map((time) => [dayOf(time.getTime()), time]));
  for (const time of days.values()) await createPartitions(database, time);
  return insert();
}

/** Drops partitions that are older than their retention, unless they have unapplied batches. Returns their names. */
export async function dropPartitions(database: Database, now: Date, retention: DailyRetention): Promise<string[]> {
  const dropped: string[] = [];
  for (const table of DAILY_TABLES) {
    const keptFrom = partitionName(table, dayOf(now.getTime() - retention[table] * DAY_MS));
    const old = (await listPartitions(database, table)).filter((name) => name < keptFrom);
    for (const name of old) if (await dropPartition(database, table, name)) dropped.push(name);
  }
  return dropped;
}

export async function listPartitions(database: Queryable, table: DailyTable): Promise<string[]> {
  const { rows } = await database.query<{ name: string }>(
    // With a join, because the name of a table that was just dropped is its number when it is asked for by `regclass`.
    `select c.relname as name
     from pg_inherits i
     join pg_class c on c.oid = i.inhrelid
     where i.inhparent = $1::regclass
     order by 1`,
    [table],
  );
  return rows.map(({ name }) => name);
}

/**
 * Drops a partition. Returns false when another process has dropped it, when it has unapplied batches, or while a backup
 * reads it.
 */
async function dropPartition(database: Database, table: DailyTable, name: string): Promise<boolean> {
  return changePartitions(database, async (tx) => {
    if (!(await hasTable(tx, name))) return false;
    if (!(await lockOutBackups(tx))) return false;
    if (table === "ingest_log") {
      // No batch can be added between the look and the drop, which takes this lock anyway.
      await tx.query(`lock table ${table} in access exclusive mode`);
      if (await hasUnapplied(tx, name)) return false;
    }
    await tx.query("select drop_daily_partition($1, $2)", [table, name]);
    return true;
  });
}

async function hasTable(tx: Transaction, name: string): Promise<boolean> {
  const { rows } = await tx.query<{ exists: boolean }>("select to_regclass($1) is not null as exists", [name]);
  return rows[0]?.exists ?? false;
}

/** Tries for a moment, because a process that has just dropped a partition releases its locks one after the other. */
async function lockOutBackups(tx: Transaction): Promise<boolean> {
  for (let attempt = 0; attempt < LOCK_ATTEMPTS; attempt++) {
    if (attempt > 0) await sleep(LOCK_PAUSE_MS);
    const { rows } = await tx.query<{ locked: boolean }>("select pg_try_advisory_xact_lock($1) as locked", [
      BACKUP_LOCK,
    ]);
    if (rows[0]?.locked) return true;
  }
  return false;
}

/**
 * Whether a partition has batches that are not applied. The times of batches do not tell it: after a clock was set back
 * and corrected, a batch that is older than all others may be the next one to apply.
 */
async function hasUnapplied(tx: Transaction, name: string): Promise<boolean> {
  const { rows } = await tx.query<{ found: boolean }>(
    `select exists (
       select
       from log_heads h
       left join apply_cursors c using (organization_id, lane)
       where h.position > coalesce(c.position, 0)
         and exists (
           select
           from ${name} l
           where l.organization_id = h.organization_id and l.lane = h.lane and l.position > coalesce(c.position, 0)
         )
     ) as found`,
  );
  return rows[0]?.found ?? false;
}

/** Runs in one process at a time: a look does not see a table that another process is creating. */
async function changePartitions<Result>(
  database: Database,
  work: (tx: Transaction) => Promise<Result>,
): Promise<Result> {
  return database.transaction(async (tx) => {
    // Also when the disk is nearly full and other writes are refused: what is dropped here gives space back.
    await tx.query("set transaction read write");
    await tx.query("select pg_advisory_xact_lock($1)", [PARTITIONS_LOCK]);
    return work(tx);
  });
}

async function readNow(database: Queryable): Promise<Date> {
  const { rows } = await database.query<{ now: Date }>("select now() as now");
  return rows[0]?.now ?? new Date();
}

function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

function partitionName(table: string, day: string): string {
  return `${table}_${day.replaceAll("-", "")}`;
}
