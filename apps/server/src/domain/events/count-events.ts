import { MUSTER_SOURCE } from "@muster/protocol";
import type { Roster } from "../identity/roster.js";
import { addEvents } from "../profiles/event-counts.js";
import type { Profile } from "../profiles/profile.js";
import type { PendingEvent } from "./track-event.js";

interface Counted {
  byName: Map<string, number>;
  byAnonymousId: Map<string, number>;
}

/**
 * Adds the events of a micro-batch to the counts of their users. Returns the ids of other users, which lost an event
 * because a record about somebody else has the same event id: their counts are not known any more.
 */
export function countEvents(events: Iterable<PendingEvent>, users: Roster): Set<string> {
  const countedOf = new Map<Profile, Counted>();
  const losers = new Set<string>();
  for (const event of events) {
    if (event.source === MUSTER_SOURCE) continue;
    const user = event.user && users.current(event.user);
    const { overwrites } = event;
    const isOwn = overwrites !== undefined && overwrites.userId === user?.id;
    if (overwrites && !isOwn) losers.add(overwrites.userId);
    if (!user || users.isRemoved(user)) continue;
    const counted: Counted = countedOf.get(user) ?? { byName: new Map(), byAnonymousId: new Map() };
    countedOf.set(user, counted);
    note(counted.byName, event.event, 1);
    // With which anonymous id it came is not known. Nearly always it is the same.
    if (isOwn) note(counted.byName, overwrites.event, -1);
    else if (event.anonymousId !== undefined) note(counted.byAnonymousId, event.anonymousId, 1);
  }
  for (const [user, counted] of countedOf) user.eventCounts = addEvents(user.eventCounts, counted);
  return losers;
}

function note(counts: Map<string, number>, key: string, count: number): void {
  counts.set(key, (counts.get(key) ?? 0) + count);
}
