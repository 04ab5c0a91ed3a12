import type { DeliveryTrace } from "../../../domain/delivery/delivery-trace.js";
import type { WrittenTable } from "../batched-writer.js";
import type { Queryable } from "../database.js";
import { listNewest } from "../list-newest.js";
import type { Page } from "../read-page.js";
import { readWindow, type Window, type WindowRow } from "../read-window.js";

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
    sent_at: ["timestamptz", ({ sentAt }) => timeText(sentAt)],
    duration_ms: ["integer", ({ durationMs }) => durationMs],
    result: ["text", ({ result }) => result],
    status: ["smallint", ({ status }) => status],
    notification_id: ["uuid", ({ notificationId }) => notificationId],
    message_id: ["text", ({ messageId }) => messageId],
    reason: ["text", ({ reason }) => reason],
    is_reported: ["boolean", ({ isReported }) => String(isReported)],
    body: ["text", ({ body }) => body],
  },
};

let lastTime: Date | undefined;
let lastTimeText = "";

/** Hundreds of consecutive traces belong to one call and have its time. Formatting the time costs more than the rest of a trace. */
function timeText(time: Date): string {
  if (time !== lastTime) {
    lastTimeText = time.toISOString();
    lastTime = time;
  }
  return lastTimeText;
}

const FIELDS = `object_id as "objectId", connector_id as "connectorId", channel, sent_at as "sentAt",
  duration_ms as "durationMs", result, status, notification_id as "notificationId", message_id as "messageId", reason,
  is_reported as "isReported", body`;

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
      select: FIELDS,
      where: "organization_id = $1 and object_id = $2 and ($3::text is null or connector_id = $3)",
      values: [organizationId, objectId, connectorId ?? null],
      time: "sent_at",
    },
    { limit, offset },
  );
}

/** What all connectors, or one, were sent about objects, the latest first, from a place in the list on. */
export function readTraces(
  database: Queryable,
  organizationId: string,
  objectIds: readonly string[],
  connectorId: string | undefined,
  window: Window,
): Promise<WindowRow<DeliveryTrace>[]> {
  return readWindow(
    database,
    {
      columns: FIELDS,
      from: "traces where organization_id = $1 and object_id = any($2::text[]) and ($3::text is null or connector_id = $3)",
      values: [organizationId, objectIds, connectorId ?? null],
      time: "sent_at",
      id: "notification_id::text || ':' || message_id",
    },
    window,
  );
}

export interface ConnectorTraceFilter {
  objectId?: string;
  results?: readonly DeliveryTrace["result"][];
  /** Only messages that no later note is about: nobody knows more about them. */
  isLast?: boolean;
  channel?: string;
}

/** A connector may have been sent millions of messages. More than this many are not counted. */
export const MOST_COUNTED_TRACES = 10_000;

/** What one connector was sent, the latest first. */
export async function listConnectorTraces(
  database: Queryable,
  organizationId: string,
  connectorId: string,
  { objectId, results, channel, isLast = false }: ConnectorTraceFilter,
  { limit, offset }: Page,
): Promise<{ total: number; rows: DeliveryTrace[] }> {
  const from = `traces t
    where organization_id = $1 and connector_id = $2
      and ($3::text is null or object_id = $3)
      and ($4::text[] is null or result = any($4::text[]))
      and ($5::text is null or channel = $5)
      and not ($6::boolean and exists (
        select
        from traces later
        where later.organization_id = $1 and later.object_id = t.object_id and later.connector_id = t.connector_id
          and later.message_id = t.message_id and later.sent_at > t.sent_at
      ))`;
  const values = [organizationId, connectorId, objectId ?? null, results ?? null, channel ?? null, isLast];
  const counted = await database.query<{ total: number }>(
    `select count(*) as total from (select from ${from} limit ${MOST_COUNTED_TRACES}) counted`,
    values,
  );
  const { rows } = await database.query<DeliveryTrace>(
    `select ${FIELDS} from ${from} order by sent_at desc, written_at desc, ctid desc limit $7 offset $8`,
    [...values, limit, offset],
  );
  return { total: counted.rows[0]!.total, rows };
}

/** What became of a message, as a connector reports it after its answer. */
export interface LaterResult extends Pick<DeliveryTrace, "messageId" | "result" | "reason" | "body"> {
  /** 0 when the connector does not say it; the status that is known stays. */
  status: number;
}

/** A note that was open, and what it says now. */
export interface SettledTrace {
  messageId: string;
  sentAt: Date;
  before: DeliveryTrace["result"];
  result: DeliveryTrace["result"];
}

/**
 * Writes later results into the notes that are still open about these messages. Returns the notes that changed: of two
 * reports about a message at the same time, the second finds no open note.
 */
export async function settleTraces(
  database: Queryable,
  organizationId: string,
  connectorId: string,
  results: readonly LaterResult[],
): Promise<SettledTrace[]> {
  const { rows } = await database.query<SettledTrace>(
    `with reported as (
       select * from jsonb_to_recordset($3::text::jsonb)
         as r ("messageId" text, result text, status smallint, reason text, body text)
     ), open as (
       select t.tableoid, t.ctid, t.result, r.*
       from traces t
       join reported r (message_id, new_result, new_status, new_reason, new_body) on t.message_id = r.message_id
       where t.organization_id = $1 and t.connector_id = $2 and t.result in ('retried', 'unreported')
       for update of t
     )
     update traces t
     set result = open.new_result,
         status = case when open.new_status = 0 then t.status else open.new_status end,
         reason = open.new_reason,
         body = open.new_body,
         is_reported = true
     from open
     where t.tableoid = open.tableoid and t.ctid = open.ctid
     returning t.message_id as "messageId", t.sent_at as "sentAt", open.result as before, t.result`,
    [organizationId, connectorId, JSON.stringify(results)],
  );
  return rows;
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
