import type { Entry } from "../../../domain/entries/entry.js";
import type { Rejection } from "../../../domain/entries/entry-application.js";
import type { Queryable } from "../database.js";
import { type Page, readPage } from "../read-page.js";
import { replaceNul } from "../replace-nul.js";

export interface RejectedEntry {
  id: number;
  connectorId: string;
  code: string;
  message: string;
  entry: Entry;
  rejectedAt: Date;
  retriedAt: Date | null;
}

interface RejectedRow {
  id: number;
  connector_id: string;
  code: string;
  message: string;
  entry: string;
  rejected_at: Date;
  retried_at: Date | null;
}

const COLUMNS = "id, connector_id, code, message, entry, rejected_at, retried_at";

export async function saveRejections(
  database: Queryable,
  organizationId: string,
  rejections: readonly Rejection[],
): Promise<void> {
  if (rejections.length === 0) return;
  await database.query(
    `insert into rejected_entries (organization_id, connector_id, code, message, entry, job_id, line)
     select $1, connector_id, code, message, entry, job_id, line
     from unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::bigint[])
       as r (connector_id, code, message, entry, job_id, line)`,
    [
      organizationId,
      rejections.map(({ entry }) => entry.connectorId),
      rejections.map(({ code }) => code),
      rejections.map(({ message }) => replaceNul(message)),
      rejections.map(({ entry }) => JSON.stringify(entry)),
      rejections.map(({ entry }) => entry.jobId ?? null),
      rejections.map(({ entry }) => entry.line ?? null),
    ],
  );
}

export async function listRejected(
  database: Queryable,
  organizationId: string,
  connectorId: string | undefined,
  page: Page,
): Promise<{ total: number; rejected: RejectedEntry[] }> {
  const { total, rows } = await readPage<RejectedRow>(
    database,
    {
      columns: COLUMNS,
      from: "rejected_entries where organization_id = $1 and ($2::text is null or connector_id = $2)",
      orderBy: "id desc",
      values: [organizationId, connectorId ?? null],
    },
    page,
  );
  return { total, rejected: rows.map(fromRow) };
}

/** Marks rejected entries as retried and returns them: those with the given ids, or all that were not retried yet. */
export async function takeForRetry(
  database: Queryable,
  organizationId: string,
  connectorId: string | undefined,
  ids: readonly number[] | undefined,
): Promise<RejectedEntry[]> {
  const { rows } = await database.query<RejectedRow>(
    `update rejected_entries
     set retried_at = now()
     where organization_id = $1
       and id in (
         select id
         from rejected_entries
         where organization_id = $1
           and ($2::bigint[] is null and retried_at is null or id = any($2::bigint[]))
           and ($3::text is null or connector_id = $3)
         order by id
         limit 5000
       )
     returning ${COLUMNS}`,
    [organizationId, ids ?? null, connectorId ?? null],
  );
  return rows.map(fromRow);
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

function fromRow(row: RejectedRow): RejectedEntry {
  return {
    id: row.id,
    connectorId: row.connector_id,
    code: row.code,
    message: row.message,
    entry: JSON.parse(row.entry) as Entry,
    rejectedAt: row.rejected_at,
    retriedAt: row.retried_at,
  };
}
