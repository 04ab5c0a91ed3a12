import { createHash } from "node:crypto";
import type { EndUserEvent } from "../../../domain/apply/keep-end-user-event.js";
import type { Queryable } from "../database.js";

interface KeyRow {
  user_id: string;
  event_digest: string;
  id: string;
  event: string;
  created_at: number;
  recorded_at: number;
  account_id: string | null;
}

/** The ids that a user has and had, and the ids that the user gave to events. */
export interface WantedEvents {
  userIds: readonly string[];
  eventIds: ReadonlySet<string>;
}

/** Finds the stored events to which end users gave an id, by the user and that id. */
export async function loadEndUserEvents(
  database: Queryable,
  organizationId: string,
  wanted: readonly WantedEvents[],
): Promise<EndUserEvent[]> {
  if (wanted.length === 0) return [];
  const eventIds = new Map<string, string>();
  const digests = wanted.flatMap((user, index) =>
    Array.from(user.eventIds, (eventId) => {
      const digest = digestOf(eventId);
      eventIds.set(digest, eventId);
      return { index, digest };
    }),
  );
  const userIds = wanted.flatMap((user, index) => user.userIds.map((userId) => ({ index, userId })));
  // `offset 0` forces one index scan per id of a user, so that no whole table is read.
  const { rows } = await database.query<KeyRow>(
    `select known.*
     from unnest($2::integer[], $3::text[]) as ids (user_index, user_id)
     join (
       select user_index, array_agg(event_digest) as digests
       from unnest($4::integer[], $5::text[]) as r (user_index, event_digest)
       group by user_index
     ) given using (user_index)
     cross join lateral (
       select user_id, event_digest, id, event, created_at, recorded_at, account_id
       from end_user_event_keys
       where organization_id = $1 and user_id = ids.user_id and event_digest = any(given.digests)
       offset 0
     ) known`,
    [
      organizationId,
      userIds.map(({ index }) => index),
      userIds.map(({ userId }) => userId),
      digests.map(({ index }) => index),
      digests.map(({ digest }) => digest),
    ],
  );
  return rows.map((row) => ({
    userId: row.user_id,
    eventId: eventIds.get(row.event_digest)!,
    id: row.id,
    event: row.event,
    createdAt: row.created_at,
    recordedAt: row.recorded_at,
    accountId: row.account_id ?? undefined,
    stored: { event: row.event, accountId: row.account_id ?? undefined },
  }));
}

export async function saveEndUserEvents(
  database: Queryable,
  organizationId: string,
  events: readonly EndUserEvent[],
): Promise<void> {
  if (events.length === 0) return;
  await database.query(
    `insert into end_user_event_keys
       (organization_id, user_id, event_digest, id, event, created_at, recorded_at, account_id)
     select $1, user_id, event_digest, id, event, created_at, recorded_at, account_id
     from unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::bigint[], $7::bigint[], $8::text[])
       as r (user_id, event_digest, id, event, created_at, recorded_at, account_id)
     on conflict (organization_id, user_id, event_digest) do update
     set id = excluded.id, event = excluded.event, created_at = excluded.created_at,
         recorded_at = excluded.recorded_at, account_id = excluded.account_id`,
    [
      organizationId,
      events.map(({ userId }) => userId),
      events.map(({ eventId }) => digestOf(eventId)),
      events.map(({ id }) => id),
      events.map(({ event, sentAs }) => sentAs ?? event),
      events.map(({ createdAt }) => createdAt),
      events.map(({ recordedAt }) => recordedAt),
      events.map(({ accountId }) => accountId ?? null),
    ],
  );
}

/** An end user chooses the id, and PostgreSQL cannot index a long one. */
function digestOf(eventId: string): string {
  return createHash("sha256").update(eventId).digest("base64url");
}
