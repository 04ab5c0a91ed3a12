import type { ConnectorTrace, KeptMessage as KeptMessageRecord, Trace } from "@muster/protocol/api/deliveries";
import type { Logger } from "pino";
import type { Connector } from "../../domain/connectors/connector.js";
import type { DeliveryTrace } from "../../domain/delivery/delivery-trace.js";
import { subjectsOfMessage } from "../../domain/delivery/erase-from-message.js";
import { objectIdOf } from "../../domain/delivery/message.js";
import type { MessageResult } from "../../domain/delivery/message-result.js";
import type { Metrics } from "../../runtime/measures/metrics.js";
import { BatchedWriter, type OrganizationRow, type WrittenTable } from "../../storage/postgres/batched-writer.js";
import { findErased } from "../../storage/postgres/changes/erasures.js";
import type { Database } from "../../storage/postgres/database.js";
import { findKeptMessage, KEPT_MESSAGES, type KeptMessage } from "../../storage/postgres/delivery/kept-messages.js";
import {
  type ConnectorTraceFilter,
  listConnectorTraces,
  listTraces,
  TRACES,
  type TraceRow,
} from "../../storage/postgres/delivery/traces.js";
import type { CallResult } from "./call-connector.js";
import { MessagesToKeep } from "./messages-to-keep.js";

export interface DeliveryTracesOptions {
  database: Database;
  metrics: Metrics;
  logger: Logger;
}

/** Notes which messages connectors were sent about each object, and how each call ended. */
export class DeliveryTraces {
  readonly #database: Database;
  readonly #writer: BatchedWriter<TraceRow>;
  readonly #keptWriter: BatchedWriter<KeptMessage>;
  readonly #toKeep = new MessagesToKeep();

  constructor(options: DeliveryTracesOptions) {
    this.#database = options.database;
    this.#writer = openWriter(options, TRACES);
    this.#keptWriter = openWriter(options, KEPT_MESSAGES);
  }

  /**
   * Notes what became of the messages of a call, within a few seconds, and keeps some as they were sent, up to a number
   * for each connector and minute. When a subject of the call was erased during the call, neither messages nor answers are
   * kept: the clean-up may be over, and an answer may name any of the subjects.
   */
  async note(organizationId: string, connectorId: string, channel: string, report: CallResult): Promise<void> {
    const { messages, results, request, sentAt, durationMs } = report;
    const kept = this.#toKeep.choose(connectorId, report, Date.now());
    const hasTexts = kept.length > 0 || results.some(({ isReported, kind }) => isReported && kind !== "delivered");
    const erased = hasTexts
      ? await findErased(this.#database, organizationId, messages.flatMap(subjectsOfMessage))
      : new Set();
    this.#writer.add(
      messages.map((message, index) => ({
        organizationId,
        objectId: objectIdOf(message),
        connectorId,
        channel,
        sentAt,
        durationMs: Math.round(durationMs),
        notificationId: request.notification_id,
        messageId: message.message_id,
        ...resultFields(results[index]!, erased.size > 0),
      })),
    );
    if (erased.size > 0) return;
    this.#keptWriter.add(kept.map((message) => ({ ...message, organizationId, connectorId })));
  }

  /** Resolves when everything that was noted so far is written. */
  written(): Promise<void> {
    return this.#writer.flush();
  }

  /** What connectors were sent about an object, the latest first. */
  async list(
    organizationId: string,
    objectId: string,
    page: { limit: number; offset: number; connectorId?: string },
  ): Promise<{ total: number; traces: Trace[] }> {
    const { total, rows } = await listTraces(this.#database, organizationId, objectId, page);
    return { total, traces: rows.map(traceRecord) };
  }

  /** What one connector was sent, the latest first. */
  async ofConnector(
    { organizationId, id }: Connector,
    filter: ConnectorTraceFilter,
    page: { limit: number; offset: number },
  ): Promise<{ total: number; traces: ConnectorTrace[] }> {
    const { total, rows } = await listConnectorTraces(this.#database, organizationId, id, filter, page);
    return { total, traces: rows.map((trace) => ({ ...traceRecord(trace), entity_id: trace.objectId })) };
  }

  /** A message as it was sent, and the answer to its call; undefined when it was not kept. */
  findKept(
    { organizationId, id }: Connector,
    message: Pick<KeptMessage, "notificationId" | "messageId">,
  ): Promise<KeptMessageRecord | undefined> {
    return findKeptMessage(this.#database, organizationId, id, message);
  }

  async close(): Promise<void> {
    await Promise.all([this.#writer.close(), this.#keptWriter.close()]);
  }
}

function openWriter<Row extends OrganizationRow>(
  { database, metrics, logger }: DeliveryTracesOptions,
  written: WrittenTable<Row>,
): BatchedWriter<Row> {
  // An alert sees the first loss only if the counter was there before it.
  metrics.lostRows.inc({ table: written.table }, 0);
  return new BatchedWriter({
    ...written,
    database,
    onError(error, lostRows, organizationIds) {
      metrics.lostRows.inc({ table: written.table }, lostRows);
      logger.error({ err: error, lostRows, organizationIds }, "delivery traces could not be written");
    },
  });
}

function traceRecord(trace: DeliveryTrace): Trace {
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
    reported: trace.isReported,
    body: trace.body,
  };
}

/** What a trace says about the result of its message. */
function resultFields(
  { kind, answer, reason, isReported }: MessageResult,
  isErased: boolean,
): Pick<DeliveryTrace, "result" | "status" | "reason" | "isReported" | "body"> {
  const isTold = isReported && kind !== "delivered";
  return {
    result: kind,
    status: answer?.status ?? 0,
    reason: isTold && isErased ? "" : reason,
    isReported,
    body: isTold && !isErased ? (answer?.body ?? "") : "",
  };
}
