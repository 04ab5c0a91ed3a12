import type { IdentifierKind } from "./identifiers.js";
import type { Profile, Sighting } from "./profile.js";

/** Moves everything the loser had to the survivor: each attribute by its newest write, times by their extremes. */
export function mergeProfiles(survivor: Profile, loser: Profile): void {
  for (const [kind, values] of Object.entries(loser.identifiers) as [IdentifierKind, string[]][]) {
    survivor.identifiers[kind] = [...new Set([...(survivor.identifiers[kind] ?? []), ...values])];
  }
  for (const [name, cell] of loser.cells) {
    const own = survivor.cells.get(name);
    if (!own || own.at < cell.at) survivor.cells.set(name, cell);
  }
  survivor.lastKnownIp = latest(survivor.lastKnownIp, loser.lastKnownIp);
  survivor.sessions = mergeSessions(survivor.sessions, loser.sessions);
  survivor.createdAt = Math.min(survivor.createdAt, loser.createdAt);
  survivor.firstSeenAt = least(survivor.firstSeenAt, loser.firstSeenAt);
  survivor.lastSeenAt = greatest(survivor.lastSeenAt, loser.lastSeenAt);
  survivor.hasEvents ||= loser.hasEvents;
  if (loser.accountId !== undefined && (survivor.accountId === undefined || loser.linkedAt > survivor.linkedAt)) {
    survivor.accountId = loser.accountId;
    survivor.linkedAt = loser.linkedAt;
  }
}

export function mergeSessions(one: Profile["sessions"], other: Profile["sessions"]): Profile["sessions"] {
  const first = earliest(one.first, other.first);
  const last = latest(one.latest, other.latest);
  const signup = earliest(one.signup, other.signup);
  return { ...(first ? { first } : {}), ...(last ? { latest: last } : {}), ...(signup ? { signup } : {}) };
}

export function earliest(one: Sighting | undefined, other: Sighting | undefined): Sighting | undefined {
  if (!one || !other) return one ?? other;
  return compare(one, other) <= 0 ? one : other;
}

export function latest(one: Sighting | undefined, other: Sighting | undefined): Sighting | undefined {
  if (!one || !other) return one ?? other;
  return compare(one, other) >= 0 ? one : other;
}

/** By time; of two at the same time the value decides, so that the order of arrival does not. */
function compare(one: Sighting, other: Sighting): number {
  return one.at - other.at || (one.value < other.value ? -1 : one.value > other.value ? 1 : 0);
}

export function least(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || (other !== undefined && other < one) ? other : one;
}

export function greatest(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || (other !== undefined && other > one) ? other : one;
}
