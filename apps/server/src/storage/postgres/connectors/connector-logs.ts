import { BatchedWriter, type Columns } from "../batched-writer.js";
import type { Database, Queryable } from "../database.js";

export const LOG_LEVELS = ["debug", "info", "warn", "error"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** A line that a connector logged. */
export interface ConnectorLog {
  organizationId: string;
  connectorId: string;
  at: Date;
  level: LogLevel;
  message: string;
  data: Record<string, unknown>;
  /** What an error wants people to know. */
  summary: string;
}

const COLUMNS: Columns<ConnectorLog> = {
  organization_id: ["text", ({ organizationId }) => organizationId],
  connector_id: ["text", ({ connectorId }) => connectorId],
  at: ["timestamptz", ({ at }) => at.toISOString()],
  level: ["text", ({ level }) => level],
  message: ["text", ({ message }) => message],
  data: ["json", ({ data }) => JSON.stringify(data)],
  summary: ["text", ({ summary }) => summary],
};

export type ConnectorLogWriter = BatchedWriter<ConnectorLog>;

/** Keeps what connectors log. */
export function createConnectorLogWriter(
  database: Database,
  onError: (error: unknown, lostRows: number) => void,
): ConnectorLogWriter {
  return new BatchedWriter({ database, table: "connector_logs", columns: COLUMNS, onError });
}

export interface LogFilter {
  level?: LogLevel;
  /** Only errors that carry a summary. */
  summaries?: boolean;
}

export interface LogRecord {
  at: string;
  level: LogLevel;
  message: string;
  data: Record<string, unknown>;
  summary: string;
}

const MATCHES = `organization_id = $1
  and connector_id = $2
  and ($3::text is null or level = $3)
  and (not $4::boolean or summary <> '')`;

/** What a connector logged, the latest first. */
export async function listConnectorLogs(
  database: Queryable,
  organizationId: string,
  connectorId: string,
  { limit, offset, level, summaries }: LogFilter & { limit: number; offset: number },
): Promise<{ total: number; logs: LogRecord[] }> {
  const values = [organizationId, connectorId, level ?? null, summaries ?? false];
  const counted = await database.query<{ total: number }>(
    `select count(*) as total from connector_logs where ${MATCHES}`,
    values,
  );
  // Rows written at the same time are in one partition, where ctid tells their order: pages do not overlap.
  const { rows } = await database.query<Omit<LogRecord, "at"> & { at: Date }>(
    `select at, level, message, data, summary
     from connector_logs
     where ${MATCHES}
     order by at desc, written_at desc, ctid desc
     limit $5 offset $6`,
    [...values, limit, offset],
  );
  const logs = rows.map((row) => ({ ...row, at: row.at.toISOString() }));
  return { total: counted.rows[0]!.total, logs };
}
