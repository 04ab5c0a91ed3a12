import type { MessageTries } from "../../../domain/delivery/after-plain-call.js";
import type { DeliveryState } from "../../../domain/delivery/delivery.js";
import type { StoredMessage } from "../../../domain/delivery/message.js";
import { compress, decompress, decompressedSize, memoryOf } from "../../logs/compression.js";
import type { Queryable, Transaction } from "../database.js";
import { type CountedMessages, countMessages } from "./delivery-minutes.js";

/** Messages that are stored together, for one or more connectors. */
export interface MessageBatch {
  isExport: boolean;
  payload: Buffer;
  /** The subscriptions that get some of the messages; `chosen` has the indexes of these. */
  recipients: { connectorId: string; url: string; channel: string; chosen: number[] }[];
}

export function compressMessages(messages: readonly StoredMessage[]): Buffer {
  return compress(messages);
}

/** Appends batches to the queues of their recipients, in order. `counted` has further counts of the same messages. */
export async function appendToOutbox(
  database: Queryable,
  organizationId: string,
  batches: readonly MessageBatch[],
  counted: readonly CountedMessages[] = [],
): Promise<void> {
  const queued = batches.flatMap(({ recipients }) =>
    recipients.map(({ connectorId, chosen }) => ({ connectorId, queued: chosen.length })),
  );
  // Before the rows: every transaction locks the counts of a minute before the sizes of queues, so that none deadlock.
  await countMessages(database, organizationId, [...counted, ...queued]);
  for (const { isExport, payload, recipients } of batches) {
    await database.query(
      `with batch as (
         insert into message_batches (organization_id, is_export, payload)
         values ($1, $2, $3)
         returning id
       )
       insert into outbox (organization_id, connector_id, batch_id, url, channel, chosen)
       select $1, r.connector_id, batch.id, r.url, r.channel, array(select jsonb_array_elements_text(r.chosen)::integer)
       from batch, jsonb_to_recordset($4::text::jsonb) as r (connector_id text, url text, channel text, chosen jsonb)
       -- A connector may have been removed while the messages for it were made.
       where exists (select from connectors c where c.organization_id = $1 and c.id = r.connector_id)`,
      [
        organizationId,
        isExport,
        payload,
        JSON.stringify(recipients.map(({ connectorId, ...rest }) => ({ connector_id: connectorId, ...rest }))),
      ],
    );
  }
}

/** How far messages to connectors are queued for the change log. */
export interface NotifyCursor {
  sequence: number;
  /** Changes after `sequence` that connectors were notified of already, together with an earlier change. */
  ahead: number[];
}

export async function readNotifyCursor(database: Queryable, organizationId: string): Promise<NotifyCursor> {
  const { rows } = await database.query<{ sequence: number; ahead: string[] }>(
    "select sequence, ahead from notify_cursors where organization_id = $1",
    [organizationId],
  );
  const [row] = rows;
  return row ? { sequence: row.sequence, ahead: row.ahead.map(Number) } : { sequence: 0, ahead: [] };
}

/** Locks the cursor and returns its sequence. Only the transaction that holds the lock queues messages. */
export async function lockNotifyCursor(tx: Transaction, organizationId: string): Promise<number> {
  const { rows } = await tx.query<{ sequence: number }>(
    `insert into notify_cursors (organization_id)
     values ($1)
     on conflict (organization_id) do update
     set sequence = notify_cursors.sequence
     returning sequence`,
    [organizationId],
  );
  return rows[0]!.sequence;
}

export async function saveNotifyCursor(
  tx: Transaction,
  organizationId: string,
  { sequence, ahead }: NotifyCursor,
): Promise<void> {
  await tx.query("update notify_cursors set sequence = $2, ahead = $3::bigint[] where organization_id = $1", [
    organizationId,
    sequence,
    ahead,
  ]);
}

/** The connectors whose queues are not empty, or that are to be told about accounts. */
export async function connectorsWithWork(database: Queryable): Promise<string[]> {
  // One look into each index for each connector, however many messages wait.
  const { rows } = await database.query<{ id: string }>(
    `select c.id
     from connectors c
     left join lateral (
       select true as has_messages
       from outbox o
       where o.organization_id = c.organization_id and o.connector_id = c.id
       order by o.position
       limit 1
     ) o on true
     left join lateral (
       select true as has_news
       from account_news n
       where n.organization_id = c.organization_id and n.connector_id = c.id
       order by n.id
       limit 1
     ) n on true
     where o.has_messages or n.has_news`,
  );
  return rows.map(({ id }) => id);
}

/** A row of the queue of a connector: the messages `chosen` from a batch. The first `sent` of them are delivered. */
export interface QueueRow {
  position: number;
  batchId: number;
  url: string;
  channel: string;
  isExport: boolean;
  chosen: number[];
  sent: number;
  /** The attempts at messages that were not delivered yet, by their index in the batch. Only for single notifications. */
  tries: Record<number, MessageTries>;
  createdAt: Date;
}

/** The first rows of the queue of a connector, without those at the positions `except`. */
export async function readQueue(
  database: Queryable,
  organizationId: string,
  connectorId: string,
  limit: number,
  except: readonly number[] = [],
): Promise<QueueRow[]> {
  const { rows } = await database.query<{
    position: number;
    batch_id: number;
    url: string;
    channel: string;
    is_export: boolean;
    chosen: number[];
    sent: number;
    tries: Record<number, MessageTries>;
    created_at: Date;
  }>(
    `select o.position, o.batch_id, o.url, o.channel, b.is_export, o.chosen, o.sent, o.tries, o.created_at
     from outbox o
     join message_batches b on b.organization_id = o.organization_id and b.id = o.batch_id
     where o.organization_id = $1 and o.connector_id = $2 and o.position <> all($4::bigint[])
     order by o.position
     limit $3`,
    [organizationId, connectorId, limit, except],
  );
  return rows.map(({ batch_id, is_export, created_at, ...row }) => ({
    ...row,
    batchId: batch_id,
    isExport: is_export,
    createdAt: created_at,
  }));
}

/** Messages that were stored together. */
export interface StoredBatch {
  messages: readonly StoredMessage[];
  /** About how much memory they take. */
  bytes: number;
}

/** Reads a batch of messages. It is empty when it was deleted. */
export async function readBatch(database: Queryable, organizationId: string, batchId: number): Promise<StoredBatch> {
  const { rows } = await database.query<{ payload: Buffer }>(
    "select payload from message_batches where organization_id = $1 and id = $2",
    [organizationId, batchId],
  );
  const [row] = rows;
  if (!row) return { messages: [], bytes: 0 };
  return { messages: decompress<StoredMessage[]>(row.payload), bytes: memoryOf(decompressedSize(row.payload)) };
}

/** What a call changes in the queue of a connector. */
export interface QueueProgress {
  /** The positions of rows that are done. */
  done: number[];
  /** The row of which only the first messages are done, and how many. */
  partial?: { position: number; sent: number };
  /** Rows of which any messages are done: the messages that are left, and the attempts at them. */
  rewritten?: Pick<QueueRow, "position" | "chosen" | "tries">[];
  state: DeliveryState;
  sentMessages: number;
  failedCalls: number;
  deadMessages: number;
  /** How many of the messages were not sent, because their user has not agreed to the purposes of the connector. */
  withheld?: number;
  /** Left out when no call was made. */
  made?: CallsMade;
}

/** The calls that a progress comes from. */
export interface CallsMade {
  calls: number;
  /** Messages in these calls. */
  messages: number;
  /** Those of them that stay in the queue, or that the connector tries again itself. */
  retried: number;
  /** Those that the service refused for good. */
  refused: number;
  /** Those for which the connector had nothing to do. */
  skipped: number;
  /** Those of which the connector said nothing. */
  unreported: number;
  /** The longest time that a delivered message had waited. */
  lagMs: number;
}

/** Stores the progress of a queue and the state of the delivery together. Batches that no queue needs are deleted. */
export async function saveProgress(
  database: Queryable,
  organizationId: string,
  connectorId: string,
  progress: QueueProgress,
): Promise<void> {
  await database.query(
    // Locks the connector first, as its removal does. Otherwise the two transactions could deadlock.
    `with connector as materialized (
       select id from connectors where organization_id = $1 and id = $2 for key share
     ), done as (
       delete from outbox
       where organization_id = $1 and connector_id = (select id from connector) and position = any($3::bigint[])
       returning batch_id
     ), partial as (
       update outbox set sent = $5
       where organization_id = $1 and connector_id = (select id from connector) and position = $4
     ), rewritten as (
       update outbox o
       set chosen = array(select jsonb_array_elements_text(r.chosen)::integer), sent = 0, tries = r.tries
       from jsonb_to_recordset($10::text::jsonb) as r (position bigint, chosen jsonb, tries jsonb)
       where o.organization_id = $1 and o.connector_id = (select id from connector) and o.position = r.position
     ), unused as (
       delete from message_batches b
       using done
       where b.organization_id = $1 and b.id = done.batch_id
         and not exists (
           select from outbox o
           where o.organization_id = $1 and o.batch_id = b.id
             and not (o.connector_id = $2 and o.position = any($3::bigint[]))
         )
     ), counted as (
       insert into delivery_minutes as m (
         organization_id, connector_id, minute, calls, failed_calls, sent, delivered, retried, dead, lag_ms,
         refused, skipped, unreported, withheld
       )
       select $1, c.id, date_trunc('minute', now()), $11::bigint, $8::bigint, $12::bigint, $7::bigint, $13::bigint,
              $9::bigint, $14::bigint, $15::bigint, $16::bigint, $17::bigint, $18::bigint
       from connector c
       where $11::bigint > 0 or $18::bigint > 0
       on conflict (organization_id, connector_id, minute) do update
       set calls = m.calls + excluded.calls,
           failed_calls = m.failed_calls + excluded.failed_calls,
           sent = m.sent + excluded.sent,
           delivered = m.delivered + excluded.delivered,
           retried = m.retried + excluded.retried,
           dead = m.dead + excluded.dead,
           lag_ms = greatest(m.lag_ms, excluded.lag_ms),
           refused = m.refused + excluded.refused,
           skipped = m.skipped + excluded.skipped,
           unreported = m.unreported + excluded.unreported,
           withheld = m.withheld + excluded.withheld
     )
     insert into delivery_states as s (
       organization_id, connector_id, state, sent_messages, failed_calls, dead_messages, last_sent_at, last_failed_at
     )
     select $1, c.id, $6::text::jsonb, $7::bigint, $8::bigint, $9::bigint,
            case when $7::bigint > 0 then now() end, case when $8::bigint + $15::bigint > 0 then now() end
     from connector c
     on conflict (organization_id, connector_id) do update
     set state = excluded.state,
         sent_messages = s.sent_messages + excluded.sent_messages,
         failed_calls = s.failed_calls + excluded.failed_calls,
         dead_messages = s.dead_messages + excluded.dead_messages,
         last_sent_at = coalesce(excluded.last_sent_at, s.last_sent_at),
         last_failed_at = coalesce(excluded.last_failed_at, s.last_failed_at)`,
    [
      organizationId,
      connectorId,
      progress.done,
      progress.partial?.position ?? null,
      progress.partial?.sent ?? 0,
      JSON.stringify(progress.state),
      progress.sentMessages,
      progress.failedCalls,
      progress.deadMessages,
      JSON.stringify(progress.rewritten ?? []),
      progress.made?.calls ?? 0,
      progress.made?.messages ?? 0,
      progress.made?.retried ?? 0,
      Math.max(0, Math.round(progress.made?.lagMs ?? 0)),
      progress.made?.refused ?? 0,
      progress.made?.skipped ?? 0,
      progress.made?.unreported ?? 0,
      progress.withheld ?? 0,
    ],
  );
}

/** Whether more rows than `rows` are in the queue of a connector. */
export async function hasQueued(
  database: Queryable,
  organizationId: string,
  connectorId: string,
  rows: number,
): Promise<boolean> {
  const { rowCount } = await database.query(
    "select from outbox where organization_id = $1 and connector_id = $2 limit 1 offset $3",
    [organizationId, connectorId, rows],
  );
  return rowCount === 1;
}
