import { Refusal } from "@muster/protocol";
import type { LogLine, LogTail } from "@muster/protocol/api/connector-logs";
import type { Logger } from "pino";
import type { Connector } from "../domain/connectors/connector.js";
import type { LogFilter } from "../domain/connectors/connector-log.js";
import { SecretRedactor } from "../domain/connectors/secret-redactor.js";
import type { Metrics } from "../runtime/measures/metrics.js";
import { BatchedWriter } from "../storage/postgres/batched-writer.js";
import {
  CONNECTOR_LOGS,
  type ConnectorLogRow,
  listConnectorLogs,
  readLogTail,
} from "../storage/postgres/connectors/connector-logs.js";
import type { Database } from "../storage/postgres/database.js";
import type { LogSummaries } from "./log-summaries.js";
import { readLogs } from "./read-logs.js";

export interface ConnectorLogsOptions {
  database: Database;
  summaries: LogSummaries;
  metrics: Metrics;
  logger: Logger;
}

const RETRY_SECONDS = 5;

/** Keeps what connectors log, and mails the summaries of their errors to people. */
export class ConnectorLogs {
  readonly #database: Database;
  readonly #summaries: LogSummaries;
  readonly #writer: BatchedWriter<ConnectorLogRow>;

  constructor({ database, summaries, metrics, logger }: ConnectorLogsOptions) {
    this.#database = database;
    this.#summaries = summaries;
    // An alert sees the first loss only if the counter was there before it.
    metrics.lostRows.inc({ table: CONNECTOR_LOGS.table }, 0);
    this.#writer = new BatchedWriter({
      ...CONNECTOR_LOGS,
      database,
      onError(error, lostRows, organizationIds) {
        metrics.lostRows.inc({ table: CONNECTOR_LOGS.table }, lostRows);
        logger.error({ err: error, lostRows, organizationIds }, "logs of connectors could not be written");
      },
    });
  }

  /** Keeps the lines that a connector sent. Returns how many of them were taken. */
  async add(connector: Connector, body: unknown, receivedAt: Date): Promise<number> {
    const redactor = new SecretRedactor(connector);
    const lines = readLogs(body, receivedAt).map((line) => ({
      ...line,
      message: redactor.text(line.message),
      data: redactor.object(line.data),
      summary: redactor.text(line.summary),
    }));
    const { organizationId, id: connectorId } = connector;
    const logged = this.#writer.add(lines.map((line) => ({ ...line, organizationId, connectorId })));
    await this.#writer.flush();
    if (logged === 0 && lines.length > 0) {
      const problem = "These lines are not stored: more lines of this organization wait than the server can keep.";
      throw new Refusal("unavailable", problem, { retryAfter: RETRY_SECONDS });
    }
    const errors = lines.filter(({ level, summary }) => level === "error" && summary !== "");
    await this.#summaries.mail(
      connector,
      errors.map(({ summary }) => summary),
      receivedAt.getTime(),
    );
    return logged;
  }

  /** What a connector logged, the latest first. */
  async list(
    { organizationId, id }: Connector,
    filter: LogFilter & { limit: number; offset: number },
  ): Promise<{ total: number; logs: LogLine[] }> {
    const { total, rows } = await listConnectorLogs(this.#database, organizationId, id, filter);
    return { total, logs: rows.map((line) => ({ ...line, at: line.at.toISOString() })) };
  }

  /** What a connector has logged since a cursor; without one, its latest lines. */
  async tail(
    { organizationId, id }: Connector,
    filter: LogFilter & { after?: string; limit: number },
  ): Promise<LogTail> {
    const { lines, cursor } = await readLogTail(this.#database, organizationId, id, filter);
    return { lines: lines.map((line) => ({ ...line, at: line.at.toISOString() })), cursor };
  }

  close(): Promise<void> {
    return this.#writer.close();
  }
}
