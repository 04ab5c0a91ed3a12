import type { Outcome } from "../../domain/entries/entry-application.js";
import { type EndUserEvent, keepEndUserEvent } from "../../domain/events/keep-end-user-event.js";
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
  users: Roster,
): Promise<void> {
  const given = outcome.endUserEvents.flatMap(({ event, entry }) => {
    const user = event.user && users.current(event.user);
    return user && !users.isRemoved(user) ? [{ event, entry, user }] : [];
  });
  if (given.length === 0) return;

  const idsOf = await readAllIds(tx, organizationId, new Set(given.map(({ user }) => user)), users);
  const wanted = given.flatMap(({ event: { eventId }, user }) =>
    (idsOf.get(user) ?? []).map((userId) => ({ userId, eventId })),
  );
  const known = new Map((await loadEndUserEvents(tx, organizationId, wanted)).map((one) => [keyOf(one), one]));
  const changed = new Map<string, EndUserEvent>();
  for (const { event, entry, user } of given) {
    const own = (idsOf.get(user) ?? []).flatMap((userId) => known.get(keyOf({ userId, eventId: event.eventId })) ?? []);
    const kept = keepEndUserEvent({ event, entry, userId: user.id }, own, outcome);
    if (!kept) continue;
    known.set(keyOf(kept), kept);
    changed.set(keyOf(kept), kept);
  }
  await saveEndUserEvents(tx, organizationId, [...changed.values()]);
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
