import { BatchedWriter, type Columns } from "../batched-writer.js";
import type { Database, Queryable } from "../database.js";

/** What one connector was sent about one user or account. */
export interface Trace {
  organizationId: string;
  objectId: string;
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

const COLUMNS: Columns<Trace> = {
  organization_id: ["text", ({ organizationId }) => organizationId],
  object_id: ["text", ({ objectId }) => objectId],
  connector_id: ["text", ({ connectorId }) => connectorId],
  channel: ["text", ({ channel }) => channel],
  sent_at: ["timestamptz", ({ sentAt }) => sentAt.toISOString()],
  duration_ms: ["integer", ({ durationMs }) => durationMs],
  result: ["text", ({ result }) => result],
  status: ["smallint", ({ status }) => status],
  notification_id: ["uuid", ({ notificationId }) => notificationId],
  message_id: ["text", ({ messageId }) => messageId],
  reason: ["text", ({ reason }) => reason],
};

export type TraceWriter = BatchedWriter<Trace>;

/** Notes what was sent. */
export function createTraceWriter(
  database: Database,
  onError: (error: unknown, lostRows: number) => void,
): TraceWriter {
  return new BatchedWriter({ database, table: "traces", columns: COLUMNS, onError });
}

export interface TraceRecord {
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

const MATCHES = `organization_id = $1
  and object_id = $2
  and ($3::text is null or connector_id = $3)`;

/** What connectors were sent about an entity, the latest first. */
export async function listTraces(
  database: Queryable,
  organizationId: string,
  objectId: string,
  { limit, offset, connectorId }: { limit: number; offset: number; connectorId?: string },
): Promise<{ total: number; traces: TraceRecord[] }> {
  const values = [organizationId, objectId, connectorId ?? null];
  const counted = await database.query<{ total: number }>(
    `select count(*) as total from traces where ${MATCHES}`,
    values,
  );
  // Rows written at the same time are in one partition, where ctid tells their order: pages do not overlap.
  const { rows } = await database.query<Omit<TraceRecord, "sent_at"> & { sent_at: Date }>(
    `select sent_at, connector_id, channel, result, status, duration_ms, notification_id, message_id, reason
     from traces
     where ${MATCHES}
     order by sent_at desc, written_at desc, ctid desc
     limit $4 offset $5`,
    [...values, limit, offset],
  );
  const traces = rows.map((row) => ({ ...row, sent_at: row.sent_at.toISOString() }));
  return { total: counted.rows[0]!.total, traces };
}

/** Forgets what was sent about erased users and accounts. */
export async function eraseTraces(
  database: Queryable,
  organizationId: string,
  objectIds: readonly string[],
): Promise<void> {
  await database.query("delete from traces where organization_id = $1 and object_id = any($2::text[])", [
    organizationId,
    objectIds,
  ]);
}
