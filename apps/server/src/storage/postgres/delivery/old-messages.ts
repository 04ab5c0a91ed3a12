import type { MessageTries } from "../../../domain/delivery/after-plain-call.js";
import type { StoredMessage } from "../../../domain/delivery/message.js";
import { decompress } from "../../logs/compression.js";
import type { Queryable, Transaction } from "../database.js";

/** A queued message that has waited too long. */
export interface OldMessage {
  url: string;
  channel: string;
  message: StoredMessage;
  /** How many calls were made with it, as far as is known. */
  attempts: number;
}

/** The first rows of a queue, with messages that are to be given up together. */
export interface OldPage {
  positions: number[];
  messages: OldMessage[];
}

// A page is decompressed, compressed message by message and inserted within about 50 ms.
const MOST_ROWS = 200;
const MOST_MESSAGES = 1_000;
const MOST_BYTES = 1024 * 1024;

/** The time before which messages have waited for longer than `waitMs`, if the first one of the queue has. */
export async function findTooOld(
  database: Queryable,
  organizationId: string,
  connectorId: string,
  waitMs: number,
): Promise<Date | undefined> {
  // By the clock of the database, which made the times in the queue: another clock that is wrong gives up nothing.
  const { rows } = await database.query<{ before: Date; is_old: boolean }>(
    `select now() - $3 * interval '1 millisecond' as before, created_at < now() - $3 * interval '1 millisecond' as is_old
     from outbox
     where organization_id = $1 and connector_id = $2
     order by position
     limit 1`,
    [organizationId, connectorId, waitMs],
  );
  return rows[0]?.is_old ? rows[0].before : undefined;
}

/** A queue whose first message has waited too long. */
export interface OldQueue {
  organizationId: string;
  connectorId: string;
  before: Date;
}

/** The queues whose first messages have waited for longer than `waitMs`. */
export async function listOldQueues(database: Queryable, waitMs: number): Promise<OldQueue[]> {
  const { rows } = await database.query<OldQueue>(
    `select c.organization_id as "organizationId", c.id as "connectorId", now() - $1 * interval '1 millisecond' as before
     from connectors c
     cross join lateral (
       select created_at
       from outbox o
       where o.organization_id = c.organization_id and o.connector_id = c.id
       order by o.position
       limit 1
     ) first
     where first.created_at < now() - $1 * interval '1 millisecond'`,
    [waitMs],
  );
  return rows;
}

/**
 * The first messages of a queue that were queued before a time: a page of limited length and size, of one row at least.
 * The rows are locked until the transaction ends.
 */
export async function lockOldPage(
  tx: Transaction,
  organizationId: string,
  connectorId: string,
  before: Date,
): Promise<OldPage> {
  const { rows } = await tx.query<OldRow>(
    `select o.position, o.batch_id, o.url, o.channel, o.chosen, o.sent, o.tries, o.created_at < $3 as is_old,
            (
              select octet_length(payload)
              from message_batches b
              where b.organization_id = o.organization_id and b.id = o.batch_id
            ) as bytes
     from outbox o
     where o.organization_id = $1 and o.connector_id = $2
     order by o.position
     limit $4
     for update`,
    [organizationId, connectorId, before, MOST_ROWS],
  );
  const chosen = firstPage(rows);
  const batches = await readBatches(
    tx,
    organizationId,
    chosen.map(({ batch_id }) => batch_id),
  );
  return {
    positions: chosen.map(({ position }) => position),
    messages: chosen.flatMap(({ batch_id, url, channel, chosen: places, sent, tries }) =>
      places.slice(sent).flatMap((place) => {
        const message = batches.get(batch_id)?.[place];
        return message ? [{ url, channel, message, attempts: tries[place]?.tries ?? 0 }] : [];
      }),
    ),
  };
}

interface OldRow {
  position: number;
  batch_id: number;
  url: string;
  channel: string;
  chosen: number[];
  sent: number;
  tries: Record<number, MessageTries>;
  is_old: boolean;
  bytes: number | null;
}

/** The rows up to the first that is not old, and up to the limits of a page. */
function firstPage(rows: readonly OldRow[]): OldRow[] {
  const page: OldRow[] = [];
  let messages = 0;
  let bytes = 0;
  for (const row of rows) {
    if (!row.is_old) break;
    messages += row.chosen.length - row.sent;
    bytes += row.bytes ?? 0;
    if (page.length > 0 && (messages > MOST_MESSAGES || bytes > MOST_BYTES)) break;
    page.push(row);
  }
  return page;
}

async function readBatches(
  tx: Transaction,
  organizationId: string,
  ids: readonly number[],
): Promise<Map<number, StoredMessage[]>> {
  const { rows } = await tx.query<{ id: number; payload: Buffer }>(
    "select id, payload from message_batches where organization_id = $1 and id = any($2::bigint[])",
    [organizationId, [...new Set(ids)]],
  );
  return new Map(rows.map(({ id, payload }) => [id, decompress<StoredMessage[]>(payload)]));
}

/** Removes rows of a queue whose messages were given up, with the batches that no queue needs, and counts the messages. */
export async function removeGivenUp(
  tx: Transaction,
  organizationId: string,
  connectorId: string,
  positions: readonly number[],
  deadMessages: number,
): Promise<void> {
  await tx.query(
    `with connector as materialized (
       select id from connectors where organization_id = $1 and id = $2 for key share
     ), counted as (
       insert into delivery_minutes as m (organization_id, connector_id, minute, dead)
       select $1, c.id, date_trunc('minute', now()), $4::bigint
       from connector c
       on conflict (organization_id, connector_id, minute) do update
       set dead = m.dead + excluded.dead
     ), done as (
       delete from outbox
       where organization_id = $1 and connector_id = (select id from connector) and position = any($3::bigint[])
       returning batch_id
     ), unused as (
       delete from message_batches b
       using (select distinct batch_id from done) d
       where b.organization_id = $1 and b.id = d.batch_id
         and not exists (
           select from outbox o
           where o.organization_id = $1 and o.batch_id = b.id
             and not (o.connector_id = $2 and o.position = any($3::bigint[]))
         )
     )
     insert into delivery_states as s (organization_id, connector_id, state, dead_messages)
     select $1, c.id, '{}', $4::bigint
     from connector c
     on conflict (organization_id, connector_id) do update
     set dead_messages = s.dead_messages + excluded.dead_messages`,
    [organizationId, connectorId, positions, deadMessages],
  );
}
