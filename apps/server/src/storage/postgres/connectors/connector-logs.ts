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

/** What a connector logged, the latest first. */
export function listConnectorLogs(
  database: Queryable,
  organizationId: string,
  connectorId: string,
  { limit, offset, level, summaries }: LogFilter & { limit: number; offset: number },
): Promise<{ total: number; rows: LogLine[] }> {
  return listNewest(
    database,
    {
      table: CONNECTOR_LOGS.table,
      select: "at, level, message, data, summary",
      where: `organization_id = $1
        and connector_id = $2
        and ($3::text is null or level = $3)
        and (not $4::boolean or summary <> '')`,
      values: [organizationId, connectorId, level ?? null, summaries ?? false],
      time: "at",
    },
    { limit, offset },
  );
}
