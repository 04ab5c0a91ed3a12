import type { SubjectType } from "@muster/protocol";
import type { Identifiers } from "./identifiers.js";

export type AttributeValue = string | number | boolean | unknown[] | Record<string, unknown> | null;

/** A value with when it was written (record time) and by whom; null says that it was unset then. */
export interface Cell {
  value: AttributeValue;
  at: number;
  /** The connector's id, with `/` and the job's id when a job wrote it. */
  source: string;
}

/** Something seen once, and when: of several the first or the last counts, in whatever order they are told. */
export interface Sighting {
  value: string;
  at: number;
}

/** What we know of one user or account. The applier of an organization works on these and writes them back. */
export interface Profile {
  readonly kind: SubjectType;
  readonly id: string;
  identifiers: Identifiers;
  cells: Map<string, Cell>;
  createdAt: number;
  firstSeenAt: number | undefined;
  lastSeenAt: number | undefined;
  lastKnownIp: Sighting | undefined;
  /** `first` and `latest` by the time of their events; `signup` is the session of the first record about the user. */
  sessions: { first?: Sighting; latest?: Sighting; signup?: Sighting };
  /** The account a user is linked to, and when that was said. */
  accountId: string | undefined;
  linkedAt: number;
  hasEvents: boolean;
  /** Merges it took part in on one day (days since 1970). */
  merges: { day: number; count: number };
}

export function createProfile(kind: SubjectType, id: string, createdAt: number): Profile {
  return {
    kind,
    id,
    identifiers: {},
    cells: new Map(),
    createdAt,
    firstSeenAt: undefined,
    lastSeenAt: undefined,
    lastKnownIp: undefined,
    sessions: {},
    accountId: undefined,
    linkedAt: 0,
    hasEvents: false,
    merges: { day: 0, count: 0 },
  };
}

/** The stored form: short names, because a micro-batch moves thousands of them through JSON. */
interface StoredProfile {
  i: Identifiers;
  /** name → [value, at, index into s] */
  c: Record<string, [AttributeValue, number, number]>;
  s: string[];
  t: number;
  f?: number;
  l?: number;
  ip?: Sighting;
  ss?: Profile["sessions"];
  a?: string;
  la?: number;
  e?: 1;
  m?: [number, number];
}

export function serialiseProfile(profile: Profile): string {
  const sources: string[] = [];
  const cells: StoredProfile["c"] = {};
  for (const [name, { value, at, source }] of profile.cells) {
    let index = sources.indexOf(source);
    if (index === -1) index = sources.push(source) - 1;
    cells[name] = [value, at, index];
  }
  const { merges, sessions } = profile;
  const stored: StoredProfile = {
    i: profile.identifiers,
    c: cells,
    s: sources,
    t: profile.createdAt,
    ...(profile.firstSeenAt === undefined ? {} : { f: profile.firstSeenAt }),
    ...(profile.lastSeenAt === undefined ? {} : { l: profile.lastSeenAt }),
    ...(profile.lastKnownIp === undefined ? {} : { ip: profile.lastKnownIp }),
    ...(sessions.first || sessions.latest || sessions.signup ? { ss: sessions } : {}),
    ...(profile.accountId === undefined ? {} : { a: profile.accountId }),
    ...(profile.linkedAt === 0 ? {} : { la: profile.linkedAt }),
    ...(profile.hasEvents ? { e: 1 as const } : {}),
    ...(merges.count === 0 ? {} : { m: [merges.day, merges.count] as [number, number] }),
  };
  return JSON.stringify(stored);
}

export function parseProfile(kind: SubjectType, id: string, stored: StoredProfile): Profile {
  const cells = new Map<string, Cell>();
  for (const [name, [value, at, source]] of Object.entries(stored.c)) {
    cells.set(name, { value, at, source: stored.s[source] ?? "" });
  }
  return {
    kind,
    id,
    identifiers: stored.i,
    cells,
    createdAt: stored.t,
    firstSeenAt: stored.f,
    lastSeenAt: stored.l,
    lastKnownIp: stored.ip,
    sessions: stored.ss ?? {},
    accountId: stored.a,
    linkedAt: stored.la ?? 0,
    hasEvents: stored.e === 1,
    merges: { day: stored.m?.[0] ?? 0, count: stored.m?.[1] ?? 0 },
  };
}

export type { StoredProfile };
