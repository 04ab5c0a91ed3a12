import type { ClickHouse } from "../../engines/clickhouse.js";
import { BatchedInsert, clickhouseTime } from "./batched-insert.js";

/** What one connector was sent about one user or account. */
export interface Trace {
  organizationId: string;
  entityId: string;
  connectorId: string;
  channel: string;
  sentAt: Date;
  durationMs: number;
  result: "delivered" | "deferred" | "refused" | "unavailable";
  /** The HTTP status of the answer; 0 when there was none. */
  status: number;
  notificationId: string;
  messageId: string;
  reason: string;
}

const RETENTION_DAYS = 30;

export const TRACES_TABLE = `create table if not exists traces (
    org FixedString(24),
    entity_id FixedString(24),
    sent_at DateTime64(3, 'UTC'),
    connector_id FixedString(24),
    channel LowCardinality(String),
    result LowCardinality(String),
    status UInt16,
    duration_ms UInt32,
    notification_id UUID,
    message_id String,
    reason String
  ) engine = MergeTree
  partition by toDate(sent_at)
  order by (org, entity_id, sent_at)
  ttl toDateTime(sent_at) + interval ${RETENTION_DAYS} day
  settings ttl_only_drop_parts = 1`;

/** Notes what was sent, without holding up who sends. */
export class TraceWriter {
  readonly #insert: BatchedInsert;

  constructor(clickhouse: ClickHouse, onError: (error: unknown, lostRows: number) => void) {
    const columns =
      "org, entity_id, sent_at, connector_id, channel, result, status, duration_ms, notification_id, message_id, reason";
    this.#insert = new BatchedInsert({ clickhouse, into: `traces (${columns})`, onError });
  }

  add(traces: readonly Trace[]): void {
    this.#insert.add(
      traces.map((trace) => ({
        org: trace.organizationId,
        entity_id: trace.entityId,
        sent_at: clickhouseTime(trace.sentAt),
        connector_id: trace.connectorId,
        channel: trace.channel,
        result: trace.result,
        status: trace.status,
        duration_ms: trace.durationMs,
        notification_id: trace.notificationId,
        message_id: trace.messageId,
        reason: trace.reason,
      })),
    );
  }

  flush(): Promise<void> {
    return this.#insert.flush();
  }
}

export interface TraceRow {
  sent_at: string;
  connector_id: string;
  channel: string;
  result: Trace["result"];
  status: number;
  duration_ms: number;
  notification_id: string;
  message_id: string;
  reason: string;
}

/** What connectors were sent about an entity, the latest first. */
export async function listTraces(
  clickhouse: ClickHouse,
  organizationId: string,
  entityId: string,
  page: { limit: number; offset: number; connectorId?: string },
): Promise<{ total: number; traces: TraceRow[] }> {
  const params = { org: organizationId, entity: entityId, connector: page.connectorId ?? "", ...page };
  const where = `org = {org:String} and entity_id = {entity:String}
       and ({connector:String} = '' or connector_id = {connector:String})`;
  const [counted] = await clickhouse.rows<{ total: number }>(
    `select count() as total from traces where ${where}`,
    params,
  );
  const traces = await clickhouse.rows<TraceRow>(
    `select sent_at, connector_id, channel, result, status, duration_ms, notification_id, message_id, reason
     from traces
     where ${where}
     order by sent_at desc
     limit {limit:UInt64} offset {offset:UInt64}`,
    params,
  );
  return { total: counted?.total ?? 0, traces };
}
