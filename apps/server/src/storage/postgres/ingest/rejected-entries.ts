import type { Rejection } from "../../../domain/apply/entry-application.js";
import type { Entry } from "../../../domain/entries/entry.js";
import type { RejectedFilter } from "../../../domain/entries/rejected-filter.js";
import type { Queryable } from "../database.js";
import { type Page, readPage } from "../read-page.js";
import { replaceNul } from "../replace-nul.js";

export interface RejectedEntry {
  id: number;
  connectorId: string;
  code: string;
  message: string;
  /** The message without the values of the entry. */
  reason: string;
  entry: Entry;
  rejectedAt: Date;
  retriedAt: Date | null;
}

interface RejectedRow {
  id: number;
  connector_id: string;
  code: string;
  message: string;
  reason: string;
  entry: string;
  rejected_at: Date;
  retried_at: Date | null;
}

const COLUMNS = "id, connector_id, code, message, reason, entry, rejected_at, retried_at";

/** A rejection, with its reason without the values of the entry. */
export type NewRejection = Rejection & { reason: string };

export async function saveRejections(
  database: Queryable,
  organizationId: string,
  rejections: readonly NewRejection[],
): Promise<void> {
  if (rejections.length === 0) return;
  await database.query(
    `insert into rejected_entries (organization_id, connector_id, code, message, reason, entry, job_id, line)
     select $1, connector_id, code, message, reason, entry, job_id, line
     from unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::bigint[])
       as r (connector_id, code, message, reason, entry, job_id, line)`,
    [
      organizationId,
      rejections.map(({ entry }) => entry.connectorId),
      rejections.map(({ code }) => code),
      rejections.map(({ message }) => replaceNul(message)),
      rejections.map(({ reason }) => replaceNul(reason)),
      rejections.map(({ entry }) => JSON.stringify(entry)),
      rejections.map(({ entry }) => entry.jobId ?? null),
      rejections.map(({ entry }) => entry.line ?? null),
    ],
  );
}

const MATCHING = `organization_id = $1
  and ($2::bigint[] is null or id = any($2::bigint[]))
  and ($3::text is null or connector_id = $3)
  and ($4::text is null or code = $4)
  and ($5::text is null or reason = $5)
  and ($6::text is null or position(lower($6) in lower(entry)) > 0)
  and ($7::boolean is null or (retried_at is not null) = $7)`;

function matching(organizationId: string, filter: RejectedFilter): unknown[] {
  const { ids, connectorId, code, reason, text, isRetried } = filter;
  return [
    organizationId,
    ids ?? null,
    connectorId ?? null,
    code ?? null,
    reason === undefined ? null : replaceNul(reason),
    text === undefined ? null : replaceNul(text),
    isRetried ?? null,
  ];
}

export async function listRejected(
  database: Queryable,
  organizationId: string,
  filter: RejectedFilter,
  page: Page,
): Promise<{ total: number; rejected: RejectedEntry[] }> {
  const { total, rows } = await readPage<RejectedRow>(
    database,
    {
      columns: COLUMNS,
      from: `rejected_entries where ${MATCHING}`,
      orderBy: "id desc",
      values: matching(organizationId, filter),
    },
    page,
  );
  return { total, rejected: rows.map(fromRow) };
}

/** How many rejected entries nobody has tried again, counted up to `limit`. */
export async function countWaitingRejected(
  database: Queryable,
  organizationId: string,
  limit: number,
): Promise<number> {
  const { rows } = await database.query<{ count: number }>(
    `select count(*) as count
     from (
       select from rejected_entries where organization_id = $1 and retried_at is null limit $2
     ) waiting`,
    [organizationId, limit],
  );
  return Number(rows[0]?.count ?? 0);
}

/** Rejected entries with the same code and reason. */
export interface RejectedGroup {
  code: string;
  reason: string;
  count: number;
  /** How many of them were not retried. */
  waiting: number;
  connectorIds: string[];
  firstAt: Date;
  lastAt: Date;
}

/** The groups with the most entries that were not retried come first. */
export async function groupRejected(
  database: Queryable,
  organizationId: string,
  filter: RejectedFilter,
  page: Page,
): Promise<{ total: number; groups: RejectedGroup[] }> {
  const groups = `(
    select code, reason, count(*) as count, count(*) filter (where retried_at is null) as waiting,
      array_agg(distinct connector_id order by connector_id) as "connectorIds",
      min(rejected_at) as "firstAt", max(rejected_at) as "lastAt"
    from rejected_entries
    where ${MATCHING}
    group by code, reason
  ) groups`;
  const { total, rows } = await readPage<RejectedGroup>(
    database,
    {
      columns: 'code, reason, count, waiting, "connectorIds", "firstAt", "lastAt"',
      from: groups,
      orderBy: "waiting desc, count desc, code, reason",
      values: matching(organizationId, filter),
    },
    page,
  );
  return { total, groups: rows };
}

/** Marks up to `limit` of the rejected entries that match as retried and returns them, the oldest first. */
export async function takeForRetry(
  database: Queryable,
  organizationId: string,
  filter: RejectedFilter,
  limit: number,
): Promise<RejectedEntry[]> {
  const { rows } = await database.query<RejectedRow>(
    `update rejected_entries
     set retried_at = now()
     where organization_id = $1
       -- A refused call is listed as it was sent, and is no entry.
       and id in (select id from rejected_entries where ${MATCHING} and code <> 'invalid_call' order by id limit $8)
     returning ${COLUMNS}`,
    [...matching(organizationId, filter), limit],
  );
  return rows.map(fromRow).sort((one, other) => one.id - other.id);
}

/** Marks entries that `takeForRetry` returned as not retried, because the retry failed. */
export async function giveBackRetry(
  database: Queryable,
  organizationId: string,
  taken: readonly RejectedEntry[],
): Promise<void> {
  await database.query(
    "update rejected_entries set retried_at = null where organization_id = $1 and id = any($2::bigint[])",
    [organizationId, taken.map(({ id }) => id)],
  );
}

/** Deletes the rejected entries that match, and returns how many there were. */
export async function discardRejected(
  database: Queryable,
  organizationId: string,
  filter: RejectedFilter,
): Promise<number> {
  const { rowCount } = await database.query(`delete from rejected_entries where ${MATCHING}`, [
    ...matching(organizationId, filter),
  ]);
  return rowCount ?? 0;
}

function fromRow(row: RejectedRow): RejectedEntry {
  return {
    id: row.id,
    connectorId: row.connector_id,
    code: row.code,
    message: row.message,
    reason: row.reason,
    entry: JSON.parse(row.entry) as Entry,
    rejectedAt: row.rejected_at,
    retriedAt: row.retried_at,
  };
}
