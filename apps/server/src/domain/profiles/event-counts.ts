import { greatest } from "./known-numbers.js";

/**
 * How many events a user has, by their names and by the anonymous ids that they came with. Those that Muster itself makes
 * are not counted. Counts are never changed: others take their place.
 */
export interface EventCounts {
  readonly byName: Counts;
  readonly byAnonymousId: Counts;
  /**
   * The latest time of an event to which its sender gave no id. When the same record is sent again it makes no second
   * event, so an event that is not later than this may be counted already.
   */
  readonly until: number | undefined;
}

type Counts = Readonly<Record<string, number>>;

/** What is added to counts. Numbers below zero are taken away. */
export interface MoreEvents {
  byName: Iterable<readonly [string, number]>;
  byAnonymousId: Iterable<readonly [string, number]>;
  until: number | undefined;
}

export const NO_EVENTS: EventCounts = { byName: {}, byAnonymousId: {}, until: undefined };

// A profile is read and written as a whole whenever it changes, so it must stay small.
const MAX_COUNTED = 100;

/** The sum of counts. Undefined, which means not known, when some are not known or when there are too many. */
export function addEvents(counts: EventCounts | undefined, more: MoreEvents): EventCounts | undefined {
  const byName = counts && add(counts.byName, more.byName);
  const byAnonymousId = counts && add(counts.byAnonymousId, more.byAnonymousId);
  return byName && byAnonymousId && { byName, byAnonymousId, until: greatest(counts.until, more.until) };
}

/** The events of two users together. */
export function addCounts(one: EventCounts | undefined, other: EventCounts | undefined): EventCounts | undefined {
  if (!other) return undefined;
  const { byName, byAnonymousId, until } = other;
  return addEvents(one, { byName: Object.entries(byName), byAnonymousId: Object.entries(byAnonymousId), until });
}

function add(counts: Counts, more: MoreEvents["byName"]): Counts | undefined {
  const sums = new Map(Object.entries(counts));
  for (const [key, count] of more) {
    const sum = (sums.get(key) ?? 0) + count;
    if (sum === 0) sums.delete(key);
    else sums.set(key, sum);
  }
  return sums.size <= MAX_COUNTED ? Object.fromEntries(sums) : undefined;
}
