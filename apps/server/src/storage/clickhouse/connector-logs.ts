import type { ClickHouse } from "../../engines/clickhouse.js";
import { BatchedInsert, clickhouseTime } from "./batched-insert.js";

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

const RETENTION_DAYS = 30;

export const CONNECTOR_LOGS_TABLE = `create table if not exists connector_logs (
    org FixedString(24),
    connector_id FixedString(24),
    at DateTime64(3, 'UTC'),
    level LowCardinality(String),
    message String,
    data String codec(ZSTD(1)),
    summary String
  ) engine = MergeTree
  partition by toDate(at)
  order by (org, connector_id, at)
  ttl toDateTime(at) + interval ${RETENTION_DAYS} day
  settings ttl_only_drop_parts = 1`;

/** Keeps what connectors log. */
export class ConnectorLogWriter {
  readonly #insert: BatchedInsert;

  constructor(clickhouse: ClickHouse, onError: (error: unknown, lostRows: number) => void) {
    const into = "connector_logs (org, connector_id, at, level, message, data, summary)";
    this.#insert = new BatchedInsert({ clickhouse, into, onError });
  }

  add(logs: readonly ConnectorLog[]): void {
    this.#insert.add(
      logs.map((log) => ({
        org: log.organizationId,
        connector_id: log.connectorId,
        at: clickhouseTime(log.at),
        level: log.level,
        message: log.message,
        data: JSON.stringify(log.data),
        summary: log.summary,
      })),
    );
  }

  flush(): Promise<void> {
    return this.#insert.flush();
  }
}

export interface LogFilter {
  level?: LogLevel;
  /** Only errors that carry a summary. */
  summaries?: boolean;
}

interface LogRow {
  at: string;
  level: LogLevel;
  message: string;
  data: string;
  summary: string;
}

export interface LogRecord extends Omit<LogRow, "data"> {
  data: Record<string, unknown>;
}

/** What a connector logged, the latest first. */
export async function listConnectorLogs(
  clickhouse: ClickHouse,
  organizationId: string,
  connectorId: string,
  { limit, offset, level, summaries }: LogFilter & { limit: number; offset: number },
): Promise<{ total: number; logs: LogRecord[] }> {
  const params = { org: organizationId, connector: connectorId, level: level ?? "", limit, offset };
  const where = `org = {org:String} and connector_id = {connector:String}
       and ({level:String} = '' or level = {level:String})${summaries ? " and summary != ''" : ""}`;
  const [counted] = await clickhouse.rows<{ total: number }>(
    `select count() as total from connector_logs where ${where}`,
    params,
  );
  const rows = await clickhouse.rows<LogRow>(
    `select at, level, message, data, summary
     from connector_logs
     where ${where}
     order by at desc
     limit {limit:UInt64} offset {offset:UInt64}`,
    params,
  );
  const logs = rows.map((row) => ({ ...row, data: JSON.parse(row.data) as Record<string, unknown> }));
  return { total: counted?.total ?? 0, logs };
}
