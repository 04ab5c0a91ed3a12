import type { Logger } from "pino";
import type { DeliveryTrace } from "../domain/delivery/delivery-trace.js";
import type { Metrics } from "../runtime/metrics.js";
import { BatchedWriter } from "../storage/postgres/batched-writer.js";
import type { Database } from "../storage/postgres/database.js";
import { listTraces, TRACES, type TraceRow } from "../storage/postgres/delivery/traces.js";

export interface DeliveryTracesOptions {
  database: Database;
  metrics: Metrics;
  logger: Logger;
}

export interface TraceRecord {
  sent_at: string;
  connector_id: string;
  channel: string;
  result: DeliveryTrace["result"];
  status: number;
  duration_ms: number;
  notification_id: string;
  message_id: string;
  reason: string;
}

/** Notes which messages connectors were sent about each object, and how each call ended. */
export class DeliveryTraces {
  readonly #database: Database;
  readonly #writer: BatchedWriter<TraceRow>;

  constructor({ database, metrics, logger }: DeliveryTracesOptions) {
    this.#database = database;
    this.#writer = new BatchedWriter({
      ...TRACES,
      database,
      onError(error, lostRows, organizationIds) {
        metrics.lostRows.inc({ table: TRACES.table }, lostRows);
        logger.error({ err: error, lostRows, organizationIds }, "delivery traces could not be written");
      },
    });
  }

  /** Takes traces without waiting: they are stored within a few seconds. */
  add(organizationId: string, traces: readonly DeliveryTrace[]): void {
    this.#writer.add(traces.map((trace) => ({ ...trace, organizationId })));
  }

  /** What connectors were sent about an object, the latest first. */
  async list(
    organizationId: string,
    objectId: string,
    page: { limit: number; offset: number; connectorId?: string },
  ): Promise<{ total: number; traces: TraceRecord[] }> {
    const { total, rows } = await listTraces(this.#database, organizationId, objectId, page);
    return { total, traces: rows.map(traceRecord) };
  }

  close(): Promise<void> {
    return this.#writer.close();
  }
}

function traceRecord(trace: DeliveryTrace): TraceRecord {
  return {
    sent_at: trace.sentAt.toISOString(),
    connector_id: trace.connectorId,
    channel: trace.channel,
    result: trace.result,
    status: trace.status,
    duration_ms: trace.durationMs,
    notification_id: trace.notificationId,
    message_id: trace.messageId,
    reason: trace.reason,
  };
}
