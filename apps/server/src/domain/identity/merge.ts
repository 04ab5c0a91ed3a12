import { addCounts } from "../profiles/event-counts.js";
import { greatest, least } from "../profiles/known-numbers.js";
import type { IdentifierKind, Profile, TimedText } from "../profiles/profile.js";
import { joinCells } from "./consents.js";
import type { MergeCause } from "./merge-cause.js";

/** One merge: the loser was merged into the survivor. The `Before` fields are copies from before the merge. */
export interface Merge {
  survivor: Profile;
  loser: Profile;
  survivorBefore: Profile;
  loserBefore: Profile;
  cause: MergeCause;
}

/**
 * Merges the loser into the survivor. Of each attribute the newest write is kept, a proved one before an unproved one; of
 * each time the earliest or the latest, as its name says.
 */
export function mergeProfiles(survivor: Profile, loser: Profile): void {
  for (const [kind, values] of Object.entries(loser.identifiers) as [IdentifierKind, string[]][]) {
    survivor.identifiers[kind] = [...new Set([...(survivor.identifiers[kind] ?? []), ...values])];
  }
  for (const [name, cell] of loser.cells) {
    survivor.cells.set(name, joinCells(name, survivor.cells.get(name), cell));
  }
  survivor.isKeptApart ||= loser.isKeptApart;
  survivor.hasHints ||= loser.hasHints;
  survivor.lastKnownIp = latest(survivor.lastKnownIp, loser.lastKnownIp);
  survivor.sessions = mergeSessions(survivor.sessions, loser.sessions);
  survivor.createdAt = Math.min(survivor.createdAt, loser.createdAt);
  survivor.firstSeenAt = least(survivor.firstSeenAt, loser.firstSeenAt);
  survivor.lastSeenAt = greatest(survivor.lastSeenAt, loser.lastSeenAt);
  survivor.hasEvents ||= loser.hasEvents;
  survivor.eventCounts = addCounts(survivor.eventCounts, loser.eventCounts);
  if (loser.accountId !== undefined && (survivor.accountId === undefined || loser.linkedAt > survivor.linkedAt)) {
    survivor.accountId = loser.accountId;
    survivor.linkedAt = loser.linkedAt;
    survivor.accountOrigin = loser.accountOrigin;
  }
}

export function mergeSessions(one: Profile["sessions"], other: Profile["sessions"]): Profile["sessions"] {
  const first = earliest(one.first, other.first);
  const last = latest(one.latest, other.latest);
  const signup = earliest(one.signup, other.signup);
  return { ...(first ? { first } : {}), ...(last ? { latest: last } : {}), ...(signup ? { signup } : {}) };
}

export function earliest(one: TimedText | undefined, other: TimedText | undefined): TimedText | undefined {
  if (!one || !other) return one ?? other;
  return compare(one, other) <= 0 ? one : other;
}

export function latest(one: TimedText | undefined, other: TimedText | undefined): TimedText | undefined {
  if (!one || !other) return one ?? other;
  return compare(one, other) >= 0 ? one : other;
}

/** By time, then by value, so that the result does not depend on the order of arrival. */
function compare(one: TimedText, other: TimedText): number {
  return one.at - other.at || (one.value < other.value ? -1 : one.value > other.value ? 1 : 0);
}

/** In how many merges a profile took part on a day. */
export function mergesOn({ merges }: Profile, day: number): number {
  return merges.day === day ? merges.count : 0;
}
