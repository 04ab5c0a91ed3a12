import type { DeliveryState } from "../../../domain/delivery/delivery.js";
import type { Queryable } from "../database.js";

/** Undefined until the first call to the connector. A state that an older version stored may lack parts. */
export async function readDeliveryState(
  database: Queryable,
  organizationId: string,
  connectorId: string,
): Promise<Partial<DeliveryState> | undefined> {
  const { rows } = await database.query<{ state: Partial<DeliveryState> }>(
    "select state from delivery_states where organization_id = $1 and connector_id = $2",
    [organizationId, connectorId],
  );
  return rows[0]?.state;
}

/** How the delivery to a connector stands. */
export interface DeliveryFigures {
  organizationId: string;
  connectorId: string;
  queuedMessages: number;
  /** When the oldest waiting message was made. */
  waitingSince: Date | null;
  sentMessages: number;
  failedCalls: number;
  deadMessages: number;
  deadLetters: number;
  lastSentAt: Date | null;
  lastFailedAt: Date | null;
  /** As `readDeliveryState` returns it. */
  storedState: Partial<DeliveryState> | undefined;
}

/** The figures of all connectors, of the connectors of one organization, or of one connector. */
export async function readDeliveryFigures(
  database: Queryable,
  only: { organizationId?: string; connectorId?: string } = {},
): Promise<DeliveryFigures[]> {
  const { rows } = await database.query<{
    organization_id: string;
    id: string;
    queued: number;
    since: Date | null;
    state: Partial<DeliveryState> | null;
    sent_messages: number;
    failed_calls: number;
    dead_messages: number;
    /** A sum comes as a text. */
    dead_letters: string;
    last_sent_at: Date | null;
    last_failed_at: Date | null;
  }>(
    `select c.organization_id, c.id, coalesce(q.messages, 0) as queued, first.since, s.state,
            coalesce(s.sent_messages, 0) as sent_messages, coalesce(s.failed_calls, 0) as failed_calls,
            coalesce(s.dead_messages, 0) as dead_messages, s.last_sent_at, s.last_failed_at, d.dead_letters
     from connectors c
     left join delivery_states s on s.organization_id = c.organization_id and s.connector_id = c.id
     left join queue_sizes q on q.organization_id = c.organization_id and q.connector_id = c.id
     left join lateral (
       select created_at as since
       from outbox o
       where o.organization_id = c.organization_id and o.connector_id = c.id
       order by o.position
       limit 1
     ) first on true
     cross join lateral (
       select coalesce(sum(letters), 0) as dead_letters
       from dead_letter_counts l
       where l.organization_id = c.organization_id and l.connector_id = c.id
     ) d
     where ($1::text is null or c.organization_id = $1) and ($2::text is null or c.id = $2)
     order by c.id`,
    [only.organizationId ?? null, only.connectorId ?? null],
  );
  return rows.map((row) => ({
    organizationId: row.organization_id,
    connectorId: row.id,
    queuedMessages: row.queued,
    waitingSince: row.since,
    sentMessages: row.sent_messages,
    failedCalls: row.failed_calls,
    deadMessages: row.dead_messages,
    deadLetters: Number(row.dead_letters),
    lastSentAt: row.last_sent_at,
    lastFailedAt: row.last_failed_at,
    storedState: row.state ?? undefined,
  }));
}

/** Counts messages that a connector has reported about after its answer. */
export async function countLaterResults(
  database: Queryable,
  organizationId: string,
  connectorId: string,
  { delivered, refused }: { delivered: number; refused: number },
): Promise<void> {
  await database.query(
    `update delivery_states
     set sent_messages = sent_messages + $3,
         last_sent_at = case when $3 > 0 then now() else last_sent_at end,
         last_failed_at = case when $4 > 0 then now() else last_failed_at end
     where organization_id = $1 and connector_id = $2`,
    [organizationId, connectorId, delivered, refused],
  );
}
