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

/** A copy that later changes of the original do not reach. */
export function copyProfile(profile: Profile): Profile {
  return {
    ...profile,
    identifiers: structuredClone(profile.identifiers),
    cells: new Map(profile.cells),
    sessions: { ...profile.sessions },
    merges: { ...profile.merges },
  };
}
