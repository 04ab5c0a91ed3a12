import { DAY_MS } from "@muster/protocol";
import type { Database, Queryable, Transaction } from "./database.js";

/** How many days connector logs and delivery traces are kept. */
const RETENTION_DAYS = { connector_logs: 30, traces: 30 };
/** Tables with a partition for each day. */
const DAILY_TABLES = ["ingest_log", ...Object.keys(RETENTION_DAYS)];
const PARTITION_DAYS_AHEAD = 7;
const RECEIPT_HOURS = 24;

// An arbitrary number. All processes that create or drop partitions take the same lock.
const PARTITIONS_LOCK = 7_201_986;

/** Creates the daily partitions of all logs for the coming days. */
export async function createPartitions(database: Database, now: Date): Promise<void> {
  for (const table of DAILY_TABLES) {
    await changePartitions(database, async (tx) => {
      for (let offset = -1; offset <= PARTITION_DAYS_AHEAD; offset++) {
        const day = dayOf(now.getTime() + offset * DAY_MS);
        const next = dayOf(now.getTime() + (offset + 1) * DAY_MS);
        await tx.query(
          `create table if not exists ${partitionName(table, day)} partition of ${table}
           for values from ('${day}') to ('${next}')`,
        );
      }
    });
  }
}

/** Drops partitions that are older than their retention, unless they have unapplied batches. Returns their names. */
export async function dropPartitions(database: Database, now: Date, logRetentionDays: number): Promise<string[]> {
  const daysAgo = (days: number) => now.getTime() - days * DAY_MS;
  const batchesFrom = Math.min(daysAgo(logRetentionDays), await oldestUnapplied(database));
  const dropped = await dropBefore(database, "ingest_log", batchesFrom);
  for (const [table, days] of Object.entries(RETENTION_DAYS)) {
    dropped.push(...(await dropBefore(database, table, daysAgo(days))));
  }
  return dropped;
}

/**
 * A time before which all batches are applied: -Infinity when a lane has batches and none of them is applied, Infinity
 * when all batches are applied.
 */
async function oldestUnapplied(database: Queryable): Promise<number> {
  const { rows } = await database.query<{ since: Date | number | null }>(
    `select min(coalesce(c.received_at, '-infinity')) as since
     from log_heads h
     left join apply_cursors c using (organization_id, lane)
     where h.position > coalesce(c.position, 0)`,
  );
  return Number(rows[0]?.since ?? Number.POSITIVE_INFINITY);
}

async function dropBefore(database: Database, table: string, keptFrom: number): Promise<string[]> {
  if (!Number.isFinite(keptFrom)) return [];
  const oldest = partitionName(table, dayOf(keptFrom));
  return changePartitions(database, async (tx) => {
    const { rows } = await tx.query<{ name: string }>(
      "select inhrelid::regclass::text as name from pg_inherits where inhparent = $1::regclass order by 1",
      [table],
    );
    const dropped = rows.map(({ name }) => name).filter((name) => name < oldest);
    for (const name of dropped) await tx.query(`drop table ${name}`);
    return dropped;
  });
}

/** Runs in one process at a time: `if not exists` does not see a table that another process is creating. */
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

/** Deletes the receipts of old batches, which will not be sent again. */
export async function forgetReceipts(database: Queryable): Promise<void> {
  await database.query(`delete from ingest_receipts where received_at < now() - interval '${RECEIPT_HOURS} hours'`);
}

function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

function partitionName(table: string, day: string): string {
  return `${table}_${day.replaceAll("-", "")}`;
}
