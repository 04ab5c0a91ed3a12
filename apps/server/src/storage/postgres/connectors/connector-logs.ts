import type { LogFilter, LogLine } from "../../../domain/connectors/connector-log.js";
import type { WrittenTable } from "../batched-writer.js";
import type { Queryable } from "../database.js";
import { listNewest } from "../list-newest.js";

export interface ConnectorLogRow extends LogLine {
  organizationId: string;
  connectorId: string;
}

export const CONNECTOR_LOGS: WrittenTable<ConnectorLogRow> = {
  table: "connector_logs",
  columns: {
    organization_id: ["text", ({ organizationId }) => organizationId],
    connector_id: ["text", ({ connectorId }) => connectorId],
    at: ["timestamptz", ({ at }) => at.toISOString()],
    level: ["text", ({ level }) => level],
    message: ["text", ({ message }) => message],
    data: ["json", ({ data }) => JSON.stringify(data)],
    summary: ["text", ({ summary }) => summary],
  },
};

const MATCHES = `organization_id = $1
  and connector_id = $2
  and ($3::text is null or level = $3)
  and (not $4::boolean or summary <> '')
  and ($5::text is null or strpos(lower(concat_ws(' ', message, summary, data::text)), lower($5)) > 0)`;

function valuesOf(organizationId: string, connectorId: string, { level, summaries, text }: LogFilter): unknown[] {
  return [organizationId, connectorId, level ?? null, summaries ?? false, text ?? null];
}

/** What a connector logged, the latest first. */
export function listConnectorLogs(
  database: Queryable,
  organizationId: string,
  connectorId: string,
  { limit, offset, ...filter }: LogFilter & { limit: number; offset: number },
): Promise<{ total: number; rows: LogLine[] }> {
  return listNewest(
    database,
    {
      table: CONNECTOR_LOGS.table,
      select: "at, level, message, data, summary",
      where: MATCHES,
      values: valuesOf(organizationId, connectorId, filter),
      time: "at",
    },
    { limit, offset },
  );
}

/**
 * Only lines that are at least this old are read. Two processes that write at the same moment may commit in either order,
 * and a cursor must not pass lines that are not committed yet.
 */
const SETTLED = "now() - interval '500 milliseconds'";

/**
 * The lines that a connector has logged since a cursor. Lines that were written together are never cut: more than
 * `limit` are returned when the last ones were. Without a cursor, the latest lines.
 */
export async function readLogTail(
  database: Queryable,
  organizationId: string,
  connectorId: string,
  { after, limit, ...filter }: LogFilter & { after?: string; limit: number },
): Promise<{ lines: LogLine[]; cursor: string }> {
  const isFirst = after === undefined;
  const { rows } = await database.query<LogLine & { written: string }>(
    `select at, level, message, data, summary, (extract(epoch from written_at) * 1000000)::bigint::text as written
     from connector_logs
     where ${MATCHES} and written_at <= ${SETTLED}
       and ($6::bigint is null or written_at > 'epoch'::timestamptz + $6::bigint * interval '1 microsecond')
     order by written_at ${isFirst ? "desc" : ""}
     fetch first $7 rows ${isFirst ? "only" : "with ties"}`,
    [...valuesOf(organizationId, connectorId, filter), after ?? null, limit],
  );
  if (isFirst) rows.reverse();
  const cursor = rows.at(-1)?.written ?? after ?? (await presentCursor(database));
  return { lines: rows.map(({ written: _written, ...line }) => line), cursor };
}

async function presentCursor(database: Queryable): Promise<string> {
  const { rows } = await database.query<{ cursor: string }>(
    `select (extract(epoch from ${SETTLED}) * 1000000)::bigint::text as cursor`,
  );
  return rows[0]!.cursor;
}
