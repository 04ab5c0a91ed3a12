import type { SubjectType } from "@muster/protocol";
import type { EventCounts } from "../../../domain/profiles/event-counts.js";
import type { Identifiers, Profile, TimedText } from "../../../domain/profiles/profile.js";
import { parseCells, type StoredCells, serialiseCells } from "./stored-cells.js";

/** The stored form of a profile. The names are short because a micro-batch converts thousands of profiles. */
export interface StoredProfile extends StoredCells {
  /** Identifiers. */
  i: Identifiers;
  /** Created at. */
  t: number;
  /** First seen at. */
  f?: number;
  /** Last seen at. */
  l?: number;
  /** Last known address. */
  ip?: TimedText;
  /** Sessions. */
  ss?: Profile["sessions"];
  /** The account's id. */
  a?: string;
  /** When the account was linked. */
  la?: number;
  /** Has events. */
  e?: 1;
  /** Counts of events: by name, by anonymous id, and until when. Only with `e`, and only when they are known. */
  n?: [EventCounts["byName"], EventCounts["byAnonymousId"], number | null];
  /** Merges: the day and their count. */
  m?: [number, number];
  /** Has halves. */
  h?: 1;
  /** Is kept apart. */
  k?: 1;
  /** Has hints. */
  u?: 1;
  /** Only of halves: the account that the record named. For users it is a column. */
  ao?: string;
}

const NO_EVENTS: EventCounts = { byName: {}, byAnonymousId: {}, until: undefined };

/** The stored form as JSON. */
export function serialiseProfile(profile: Profile): string {
  const { merges, sessions, hasEvents, eventCounts: counts } = profile;
  const rest: Omit<StoredProfile, "i" | keyof StoredCells> = {
    t: profile.createdAt,
    ...(profile.firstSeenAt === undefined ? {} : { f: profile.firstSeenAt }),
    ...(profile.lastSeenAt === undefined ? {} : { l: profile.lastSeenAt }),
    ...(profile.lastKnownIp === undefined ? {} : { ip: profile.lastKnownIp }),
    ...(sessions.first || sessions.latest || sessions.signup ? { ss: sessions } : {}),
    ...(profile.accountId === undefined ? {} : { a: profile.accountId }),
    ...(profile.linkedAt === 0 ? {} : { la: profile.linkedAt }),
    ...(hasEvents ? { e: 1 as const } : {}),
    ...(hasEvents && counts ? { n: storedCounts(counts) } : {}),
    ...(merges.count === 0 ? {} : { m: [merges.day, merges.count] as [number, number] }),
    ...(profile.hasHalves ? { h: 1 as const } : {}),
    ...(profile.isKeptApart ? { k: 1 as const } : {}),
    ...(profile.hasHints ? { u: 1 as const } : {}),
    ...(profile.accountOrigin === undefined ? {} : { ao: profile.accountOrigin }),
  };
  return `{"i":${JSON.stringify(profile.identifiers)},${serialiseCells(profile.cells)},${JSON.stringify(rest).slice(1)}`;
}

export function parseProfile(subjectType: SubjectType, id: string, stored: StoredProfile): Profile {
  // The former form does not say whether a page without a token has sent anything: by an anonymous id, it can have.
  const mayHaveHints = stored.c !== undefined && stored.i.anonymous_id !== undefined;
  return {
    subjectType,
    id,
    identifiers: stored.i,
    cells: parseCells(stored, mayHaveHints || subjectType === "account"),
    createdAt: stored.t,
    firstSeenAt: stored.f,
    lastSeenAt: stored.l,
    lastKnownIp: stored.ip,
    sessions: stored.ss ?? {},
    accountId: stored.a,
    linkedAt: stored.la ?? 0,
    hasEvents: stored.e === 1,
    eventCounts: countsIn(stored),
    merges: { day: stored.m?.[0] ?? 0, count: stored.m?.[1] ?? 0 },
    accountOrigin: stored.ao,
    hasHalves: stored.h === 1,
    isKeptApart: stored.k === 1,
    hasHints: mayHaveHints || stored.u === 1,
  };
}

function storedCounts({ byName, byAnonymousId, until }: EventCounts): StoredProfile["n"] & {} {
  return [byName, byAnonymousId, until ?? null];
}

function countsIn({ e, n }: StoredProfile): EventCounts | undefined {
  if (e !== 1) return NO_EVENTS;
  return n && { byName: n[0], byAnonymousId: n[1], until: n[2] ?? undefined };
}
