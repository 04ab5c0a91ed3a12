import type { Outcome } from "../../domain/apply/entry-application.js";
import { type EndUserEvent, keepEndUserEvent } from "../../domain/apply/keep-end-user-event.js";
import type { WorkingState } from "../../domain/apply/working-state.js";
import type { Roster } from "../../domain/identity/roster.js";
import type { Profile } from "../../domain/profiles/profile.js";
import type { Transaction } from "../../storage/postgres/database.js";
import { loadEndUserEvents, saveEndUserEvents } from "../../storage/postgres/ingest/end-user-event-keys.js";
import { readFormerIds } from "../../storage/postgres/profiles/profiles.js";

/**
 * Adds to the outcome the events to which end users gave an id, and saves their keys. An id belongs to one user, so this
 * is done after all entries are applied: then it is known which profiles of the micro-batch are the same user.
 */
export async function keepEndUserEvents(
  tx: Transaction,
  organizationId: string,
  outcome: Outcome,
  { users, eventPlans }: Pick<WorkingState, "users" | "eventPlans">,
): Promise<void> {
  const given = outcome.endUserEvents.flatMap(({ event, entry }) => {
    const user = event.user && users.current(event.user);
    return user && !users.isRemoved(user) ? [{ event, entry, user }] : [];
  });
  if (given.length === 0) return;

  const eventIdsOf = new Map<Profile, Set<string>>();
  for (const { event, user } of given) {
    eventIdsOf.set(user, (eventIdsOf.get(user) ?? new Set()).add(event.eventId));
  }
  const idsOf = await readAllIds(tx, organizationId, new Set(eventIdsOf.keys()), users);
  const wanted = [...eventIdsOf].map(([user, eventIds]) => ({ userIds: idsOf.get(user) ?? [], eventIds }));
  const stored = await loadEndUserEvents(tx, organizationId, wanted);
  const known = byPresentUser(
    stored.map((event) => eventPlans.underCurrentName(event)),
    idsOf,
  );
  const changed = new Map<string, EndUserEvent>();
  for (const { event, entry, user } of given) {
    const key = keyOf({ userId: user.id, eventId: event.eventId });
    const own = known.get(key) ?? [];
    const kept = keepEndUserEvent({ event, entry, userId: user.id }, own, outcome);
    if (!kept) continue;
    const place = own.findIndex(({ userId }) => userId === kept.userId);
    known.set(key, place < 0 ? [...own, kept] : own.with(place, kept));
    changed.set(keyOf(kept), kept);
  }
  await saveEndUserEvents(tx, organizationId, [...changed.values()]);
}

/** Stored events by the present id of their user and their event id, in the order of the ids of the user. */
function byPresentUser(
  stored: readonly EndUserEvent[],
  idsOf: ReadonlyMap<Profile, readonly string[]>,
): Map<string, EndUserEvent[]> {
  const places = new Map(
    [...idsOf].flatMap(([{ id }, userIds]) => userIds.map((userId, place) => [userId, { id, place }])),
  );
  const placeOf = ({ userId }: EndUserEvent) => places.get(userId)?.place ?? 0;
  const known = new Map<string, EndUserEvent[]>();
  for (const one of stored.toSorted((first, second) => placeOf(first) - placeOf(second))) {
    const key = keyOf({ userId: places.get(one.userId)?.id ?? one.userId, eventId: one.eventId });
    const same = known.get(key);
    if (same) same.push(one);
    else known.set(key, [one]);
  }
  return known;
}

/** The present id of each user, then those of all profiles that were merged into it. */
async function readAllIds(
  tx: Transaction,
  organizationId: string,
  wanted: ReadonlySet<Profile>,
  users: Roster,
): Promise<Map<Profile, string[]>> {
  const inMemory = new Map([...wanted].map((user) => [user, users.idsOf(user)]));
  const former = await readFormerIds(tx, organizationId, [...inMemory.values()].flat());
  return new Map(
    [...inMemory].map(([user, ids]) => [user, [...new Set([...ids, ...ids.flatMap((id) => former.get(id) ?? [])])]]),
  );
}

function keyOf({ userId, eventId }: { userId: string; eventId: string }): string {
  return `${userId} ${eventId}`;
}
