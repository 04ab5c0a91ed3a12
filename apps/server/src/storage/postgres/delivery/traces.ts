import type { DeliveryTrace } from "../../../domain/delivery/delivery-trace.js";
import type { WrittenTable } from "../batched-writer.js";
import type { Queryable } from "../database.js";
import { listNewest } from "../list-newest.js";

export interface TraceRow extends DeliveryTrace {
  organizationId: string;
}

export const TRACES: WrittenTable<TraceRow> = {
  table: "traces",
  columns: {
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
  },
};

/** What connectors were sent about an object, the latest first. */
export function listTraces(
  database: Queryable,
  organizationId: string,
  objectId: string,
  { limit, offset, connectorId }: { limit: number; offset: number; connectorId?: string },
): Promise<{ total: number; rows: DeliveryTrace[] }> {
  return listNewest(
    database,
    {
      table: TRACES.table,
      select: `object_id as "objectId", connector_id as "connectorId", channel, sent_at as "sentAt",
        duration_ms as "durationMs", result, status, notification_id as "notificationId",
        message_id as "messageId", reason`,
      where: "organization_id = $1 and object_id = $2 and ($3::text is null or connector_id = $3)",
      values: [organizationId, objectId, connectorId ?? null],
      time: "sent_at",
    },
    { limit, offset },
  );
}

/** Deletes the traces of erased users and accounts. Returns whom each was about. */
export async function eraseTraces(
  database: Queryable,
  organizationId: string,
  objectIds: readonly string[],
): Promise<string[]> {
  const { rows } = await database.query<{ object_id: string }>(
    "delete from traces where organization_id = $1 and object_id = any($2::text[]) returning object_id",
    [organizationId, objectIds],
  );
  return rows.map(({ object_id }) => object_id);
}
