import { deriveId } from "@muster/protocol";
import type { KnownEvent } from "../../../domain/apply/working-state.js";
import type { StoredEvent } from "../../../domain/events/stored-event.js";
import type { Queryable } from "../database.js";

/** Finds the stored events that have the given event ids. Senders choose these ids. */
export async function loadKnownEvents(
  database: Queryable,
  organizationId: string,
  eventIds: readonly string[],
): Promise<Map<string, KnownEvent>> {
  if (eventIds.length === 0) return new Map();
  const { rows } = await database.query<{
    event_id: string;
    recorded_at: number;
    event: string;
    created_at: number;
    user_id: string;
    account_id: string | null;
  }>(
    `select event_id, recorded_at, event, created_at, user_id, account_id
     from event_keys
     where organization_id = $1 and event_id = any($2::text[])`,
    [organizationId, eventIds],
  );
  return new Map(
    rows.map((row) => [
      row.event_id,
      {
        id: deriveId("event", Math.max(0, row.created_at), row.event_id),
        event: row.event,
        createdAt: row.created_at,
        recordedAt: row.recorded_at,
        stored: { event: row.event, userId: row.user_id, accountId: row.account_id ?? undefined },
      },
    ]),
  );
}

/** `originId` is the user from before any merge. Default: the present one. */
export async function saveEventKeys(
  database: Queryable,
  organizationId: string,
  events: readonly { stored: StoredEvent; known: KnownEvent; originId?: string }[],
): Promise<void> {
  if (events.length === 0) return;
  await database.query(
    `insert into event_keys (organization_id, event_id, recorded_at, event, created_at, user_id, account_id)
     select $1, event_id, recorded_at, event, created_at, user_id, account_id
     from unnest($2::text[], $3::bigint[], $4::text[], $5::bigint[], $6::text[], $7::text[])
       as r (event_id, recorded_at, event, created_at, user_id, account_id)
     on conflict (organization_id, event_id) do update
     set recorded_at = excluded.recorded_at, event = excluded.event, created_at = excluded.created_at,
         user_id = excluded.user_id, account_id = excluded.account_id`,
    [
      organizationId,
      events.map(({ stored }) => stored.event_id),
      events.map(({ known }) => known.recordedAt),
      events.map(({ known }) => known.sentAs ?? known.event),
      events.map(({ known }) => known.createdAt),
      events.map(({ stored, originId }) => originId ?? stored.user_id),
      events.map(({ stored }) => stored.account_id),
    ],
  );
}

/** Frees event ids of events that are removed. One that a later record has taken stays. */
export async function deleteEventKeys(
  database: Queryable,
  organizationId: string,
  eventIds: readonly string[],
  recordedAt: number,
): Promise<void> {
  if (eventIds.length === 0) return;
  await database.query(
    "delete from event_keys where organization_id = $1 and event_id = any($2::text[]) and recorded_at = $3",
    [organizationId, eventIds, recordedAt],
  );
}
