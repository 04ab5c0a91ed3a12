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

/** The ids of users, and of halves of users, that lost an event: their counts are not known any more. */
export interface EventLosers {
  users: Set<string>;
  halves: Set<string>;
}

/**
 * Adds the events of a micro-batch to the counts of their users and of the halves that they are of. Returns who lost an event
 * to a record of another one with the same event id.
 */
export function countEvents(events: Iterable<PendingEvent>, users: Roster): EventLosers {
  const eventsOf = new Map<Profile, NewEvents>();
  const losers: EventLosers = { users: new Set(), halves: new Set() };
  const newOf = (profile: Profile) => {
    const known = eventsOf.get(profile) ?? new NewEvents();
    eventsOf.set(profile, known);
    return known;
  };
  for (const event of events) {
    if (event.source === MUSTER_SOURCE) continue;
    const user = event.user && users.current(event.user);
    const { overwrites } = event;
    const formerOrigin = overwrites?.originId ?? overwrites?.userId;
    const isOfSameHalf = formerOrigin === event.originId;
    const isOwn = overwrites !== undefined && (overwrites.userId === user?.id || isOfSameHalf);
    if (overwrites && !isOwn) losers.users.add(overwrites.userId);
    if (formerOrigin !== undefined && !isOfSameHalf) losers.halves.add(formerOrigin);
    if (!user || users.isRemoved(user)) continue;
    if (isOwn) newOf(user).replace(overwrites, event);
    else newOf(user).add(event);
    const half = user.hasHalves ? users.halves.find(event.originId)?.profile : undefined;
    if (!half) continue;
    users.halves.touch(half);
    if (overwrites && isOfSameHalf) newOf(half).replace(overwrites, event);
    else newOf(half).add(event);
  }
  for (const [profile, own] of eventsOf) profile.eventCounts = own.addedTo(profile.eventCounts);
  return losers;
}

function note(counts: Map<string, number>, key: string, count: number): void {
  counts.set(key, (counts.get(key) ?? 0) + count);
}
