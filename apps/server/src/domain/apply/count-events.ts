import { MUSTER_SOURCE } from "@muster/protocol";
import type { NamedEvent } from "../events/event-plan.js";
import type { Roster } from "../identity/roster.js";
import { addEvents, type EventCounts } from "../profiles/event-counts.js";
import { greatest, least } from "../profiles/known-numbers.js";
import type { Profile } from "../profiles/profile.js";
import type { PendingEvent } from "./track-event.js";

/**
 * The events of one user in a micro-batch. They are counted under the names that they came with, because a name that was
 * merged into another can be taken out again.
 */
class NewEvents {
  readonly byName = new Map<string, number>();
  readonly byAnonymousId = new Map<string, number>();
  /** The times of the events to which their senders gave no id. */
  since: number | undefined;
  until: number | undefined;

  add({ event, sentAs, anonymousId, createdAt, hasGivenId }: PendingEvent): void {
    note(this.byName, sentAs ?? event, 1);
    if (anonymousId !== undefined) note(this.byAnonymousId, anonymousId, 1);
    if (hasGivenId) return;
    this.since = least(this.since, createdAt);
    this.until = greatest(this.until, createdAt);
  }

  /** One event of the user takes the place of another. Their anonymous ids are taken to be the same. */
  replace(before: NamedEvent, { event, sentAs }: PendingEvent): void {
    note(this.byName, before.sentAs ?? before.event, -1);
    note(this.byName, sentAs ?? event, 1);
  }

  /** The counts with these events. They are not known when some of these events may be counted already. */
  addedTo(counts: EventCounts | undefined): EventCounts | undefined {
    const mayBeKnown = counts?.until !== undefined && this.since !== undefined && this.since <= counts.until;
    return mayBeKnown ? undefined : addEvents(counts, this);
  }
}

/**
 * Adds the events of a micro-batch to the counts of their users. Returns the ids of users that lost an event to a
 * record of another user with the same event id: their counts are not known any more.
 */
export function countEvents(events: Iterable<PendingEvent>, users: Roster): Set<string> {
  const eventsOf = new Map<Profile, NewEvents>();
  const losers = new Set<string>();
  for (const event of events) {
    if (event.source === MUSTER_SOURCE) continue;
    const user = event.user && users.current(event.user);
    const { overwrites } = event;
    const isOwn = overwrites !== undefined && overwrites.userId === user?.id;
    if (overwrites && !isOwn) losers.add(overwrites.userId);
    if (!user || users.isRemoved(user)) continue;
    const own = eventsOf.get(user) ?? new NewEvents();
    eventsOf.set(user, own);
    if (isOwn) own.replace(overwrites, event);
    else own.add(event);
  }
  for (const [user, own] of eventsOf) user.eventCounts = own.addedTo(user.eventCounts);
  return losers;
}

function note(counts: Map<string, number>, key: string, count: number): void {
  counts.set(key, (counts.get(key) ?? 0) + count);
}
