import { DAY_MS, HOUR_MS } from "@muster/protocol";
import type { Queryable } from "./database.js";

/** A table that keeps its rows for a while. */
interface Rule {
  table: string;
  keptMs: number;
  /** Which rows can go. `$1` is the time before which they are too old. */
  where: string;
}

/** A batch that is sent again within this time is recognised. */
const RECEIPT_MS = 24 * HOUR_MS;
/** Figures of deliveries and of calls to services are shown for a month. */
const FIGURES_MS = 31 * DAY_MS;
/** Copies of profiles, kept to look into a problem of today. */
const KEPT_MESSAGE_MS = DAY_MS;
/** As long as messages wait for a connector that is disabled. */
const ACCOUNT_NEWS_MS = 14 * DAY_MS;
/** Longer than the overview looks back. */
const OVERVIEW_MS = DAY_MS;
/** How long can be looked up what people have changed. */
const AUDIT_MS = 365 * DAY_MS;
/** Far longer than a notification that was signed with a replaced key is valid. */
const REPLACED_KEY_MS = 7 * DAY_MS;
/** Only those of today count. */
const NAME_COUNTS_MS = 2 * DAY_MS;
/** A name that no page has sent for so long needs nobody any more. */
const WAITING_NAMES_MS = 7 * DAY_MS;

/** The rows that go when they are too old, in the order in which they go. */
function rulesFor(historyMs: number): Rule[] {
  return [
    {
      table: "ingest_receipts",
      keptMs: RECEIPT_MS,
      // Copies in a log outside PostgreSQL are recognised when they are read, which is late when there is a backlog. So a
      // receipt stays until what was received within a day after it is read.
      where: `received_at < $1
        and (
          parts is null
          or not exists (
            select
            from log_heads h
            left join apply_cursors c using (organization_id, lane)
            where h.organization_id = t.organization_id and h.position > coalesce(c.position, 0)
              and coalesce(c.received_at, '-infinity') < t.received_at + interval '${RECEIPT_MS} milliseconds'
          )
        )`,
    },
    { table: "rejected_entries", keptMs: historyMs, where: "rejected_at < $1" },
    { table: "dead_letters", keptMs: historyMs, where: "created_at < $1" },
    // The counts of causes without dead letters.
    { table: "dead_letter_counts", keptMs: 0, where: "letters = 0 and $1::timestamptz is not null" },
    {
      table: "status_history",
      keptMs: historyMs,
      // The last row says since when the present status holds.
      where: `created_at < $1 and exists (
        select
        from status_history n
        where n.organization_id = t.organization_id and n.connector_id = t.connector_id and n.id > t.id
      )`,
    },
    {
      table: "job_rejections",
      keptMs: historyMs,
      where: `(organization_id, job_id) in (
        select organization_id, id
        from jobs
        where finished_at < $1 and type = 'import'
        order by finished_at
        limit 100
      )`,
    },
    {
      table: "jobs",
      keptMs: historyMs,
      // A job whose file is still kept can be found until the file goes. Removing its lines first keeps this step small.
      where: `finished_at < $1 and file_expires_at is null
        and not exists (
          select from job_rejections r where r.organization_id = t.organization_id and r.job_id = t.id
        )`,
    },
    { table: "erased", keptMs: historyMs, where: "cleaned_at < $1" },
    { table: "intake_figures", keptMs: OVERVIEW_MS, where: "at < $1" },
    { table: "lag_figures", keptMs: OVERVIEW_MS, where: "at < $1" },
    { table: "delivery_minutes", keptMs: FIGURES_MS, where: "minute < $1" },
    { table: "delivery_causes", keptMs: FIGURES_MS, where: "hour < $1" },
    { table: "service_calls", keptMs: FIGURES_MS, where: "minute < $1" },
    { table: "kept_messages", keptMs: KEPT_MESSAGE_MS, where: "at < $1" },
    {
      table: "audit_log",
      keptMs: AUDIT_MS,
      // Its rows are in the order of their ids, so the oldest ones of each organization are found by the primary key.
      where: `(organization_id, id) in (
        select o.id, a.id
        from organizations o
        cross join lateral (
          select id, happened_at from audit_log where organization_id = o.id order by id limit 500
        ) a
        where a.happened_at < $1
      )`,
    },
    { table: "member_sessions", keptMs: 0, where: "expires_at < $1" },
    { table: "sign_in_links", keptMs: 0, where: "expires_at < $1" },
    { table: "used_carried_ids", keptMs: 0, where: "expires_at < $1" },
    { table: "new_name_counts", keptMs: NAME_COUNTS_MS, where: "day < $1" },
    { table: "waiting_names", keptMs: WAITING_NAMES_MS, where: "last_at < $1" },
    { table: "invitations", keptMs: 0, where: "expires_at < $1" },
    { table: "account_news", keptMs: ACCOUNT_NEWS_MS, where: "created_at < $1" },
    {
      table: "signing_keys",
      keptMs: REPLACED_KEY_MS,
      where: "exists (select from signing_keys n where n.created_at > t.created_at and n.created_at < $1)",
    },
  ];
}

/** How many rows of each table one step removes at most. */
export const ROWS_PER_STEP = 2_000;

/**
 * Removes the next rows of all organizations that are older than their retention, some of each table. Returns how many
 * rows of which tables were removed. A table with `ROWS_PER_STEP` of them may have more.
 */
export async function removeOldRows(
  database: Queryable,
  now: Date,
  { historyDays }: { historyDays: number },
): Promise<Record<string, number>> {
  const removed: Record<string, number> = {};
  for (const { table, keptMs, where } of rulesFor(historyDays * DAY_MS)) {
    // A place (ctid) is a safe name for a row here, because the row is locked from the look to the removal.
    const { rowCount } = await database.query(
      `delete from ${table}
       where ctid = any(array(
         select ctid from ${table} t where ${where} limit ${ROWS_PER_STEP} for update skip locked
       ))`,
      [new Date(now.getTime() - keptMs)],
    );
    if (rowCount) removed[table] = rowCount;
  }
  return removed;
}
