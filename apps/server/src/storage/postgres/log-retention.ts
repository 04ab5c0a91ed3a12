import type { Queryable } from "./database.js";

const PARTITION_DAYS_AHEAD = 7;
const RECEIPT_HOURS = 24;
const DAY_MS = 86_400_000;

/** Makes the daily partitions of the ingestion log for the coming days. */
export async function createPartitions(database: Queryable, now: Date): Promise<void> {
  for (let offset = -1; offset <= PARTITION_DAYS_AHEAD; offset++) {
    const day = dayOf(now.getTime() + offset * DAY_MS);
    const next = dayOf(now.getTime() + (offset + 1) * DAY_MS);
    await database.query(
      `create table if not exists ${partitionName(day)} partition of ingest_log
       for values from ('${day}') to ('${next}')`,
    );
  }
}

/** Drops the partitions beyond the retention, except those with batches that are not applied yet. */
export async function dropPartitions(database: Queryable, now: Date, retentionDays: number): Promise<string[]> {
  const waiting = await database.query<{ since: Date | number | null }>(
    `select min(coalesce(c.received_at, '-infinity')) as since
     from log_heads h
     left join apply_cursors c using (organization_id, lane)
     where h.position > coalesce(c.position, 0)`,
  );
  const since = waiting.rows[0]?.since ?? Number.POSITIVE_INFINITY;
  const keepFrom = Math.min(now.getTime() - retentionDays * DAY_MS, Number(since));
  if (!Number.isFinite(keepFrom)) return [];
  const { rows } = await database.query<{ name: string }>(
    "select inhrelid::regclass::text as name from pg_inherits where inhparent = 'ingest_log'::regclass order by 1",
  );
  const oldest = partitionName(dayOf(keepFrom));
  const dropped = rows.map(({ name }) => name).filter((name) => name < oldest);
  for (const name of dropped) await database.query(`drop table ${name}`);
  return dropped;
}

/** Forgets answers to batches that nobody sends again. */
export async function forgetReceipts(database: Queryable): Promise<void> {
  await database.query(`delete from ingest_receipts where received_at < now() - interval '${RECEIPT_HOURS} hours'`);
}

function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

function partitionName(day: string): string {
  return `ingest_log_${day.replaceAll("-", "")}`;
}
