import type { IdentifierKind } from "./identifiers.js";
import type { Profile } from "./profile.js";

/** Moves everything the loser had to the survivor: each attribute by its newest write, times by their extremes. */
export function mergeProfiles(survivor: Profile, loser: Profile): void {
  for (const [kind, values] of Object.entries(loser.identifiers) as [IdentifierKind, string[]][]) {
    survivor.identifiers[kind] = [...new Set([...(survivor.identifiers[kind] ?? []), ...values])];
  }
  for (const [name, cell] of loser.cells) {
    const own = survivor.cells.get(name);
    if (!own || own.at < cell.at) survivor.cells.set(name, cell);
  }
  if (loser.lastSeenAt !== undefined && loser.lastSeenAt > (survivor.lastSeenAt ?? 0)) {
    survivor.lastKnownIp = loser.lastKnownIp ?? survivor.lastKnownIp;
    survivor.sessions.latest = loser.sessions.latest ?? survivor.sessions.latest;
  }
  if (loser.createdAt < survivor.createdAt) survivor.sessions = { ...survivor.sessions, ...definedOf(loser) };
  survivor.createdAt = Math.min(survivor.createdAt, loser.createdAt);
  survivor.firstSeenAt = least(survivor.firstSeenAt, loser.firstSeenAt);
  survivor.lastSeenAt = greatest(survivor.lastSeenAt, loser.lastSeenAt);
  survivor.hasEvents ||= loser.hasEvents;
  if (loser.accountId !== undefined && (survivor.accountId === undefined || loser.linkedAt > survivor.linkedAt)) {
    survivor.accountId = loser.accountId;
    survivor.linkedAt = loser.linkedAt;
  }
}

/** The first and the signup session belong to whoever was there first. */
function definedOf({ sessions }: Profile): Profile["sessions"] {
  return {
    ...(sessions.first ? { first: sessions.first } : {}),
    ...(sessions.signup ? { signup: sessions.signup } : {}),
  };
}

export function least(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || (other !== undefined && other < one) ? other : one;
}

export function greatest(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || (other !== undefined && other > one) ? other : one;
}
