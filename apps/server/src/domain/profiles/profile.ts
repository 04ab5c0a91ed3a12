import type { SubjectType } from "@muster/protocol";
import type { AttributeValue } from "../attributes/attribute-values.js";
import { type EventCounts, NO_EVENTS } from "./event-counts.js";

/** The kinds of identifiers that a profile can be found by, besides its own id. */
export type IdentifierKind = "external_id" | "email" | "domain" | "anonymous_id";

/** A profile's identifiers; a kind without values is absent. */
export type Identifiers = Partial<Record<IdentifierKind, string[]>>;

/** When values were written (record time) and by whom. The cells that one record has written share it, to save memory. */
export interface Written {
  readonly at: number;
  /** The connector's id, with `/` and the job's id when a job wrote them; `//` and the member's id when a member did. */
  readonly source: string;
  /** Nobody has proved that the record is about this subject, see `domain/identity/proof.ts`. */
  readonly unproved?: true;
}

/** A value, and the record that said it. A null value means that it was unset then. */
export interface Said {
  readonly value: AttributeValue;
  readonly written: Written;
}

/** An attribute's value, and its last write. */
export interface Cell extends Said {
  /** Only of consents: what was said last without proof beside a proved value, or with proof beside an unproved one. */
  readonly beside?: Said;
}

/** A text and the time it belongs to. Of several, the earliest or the latest is kept, whatever their order of arrival. */
export interface TimedText {
  value: string;
  at: number;
  /** It came with a record that nobody has proved to be about this subject. */
  unproved?: true;
}

/** Everything stored about one user or account. The applier changes profiles in memory and writes them back. */
export interface Profile {
  readonly subjectType: SubjectType;
  readonly id: string;
  identifiers: Identifiers;
  cells: Map<string, Cell>;
  createdAt: number;
  firstSeenAt: number | undefined;
  lastSeenAt: number | undefined;
  lastKnownIp: TimedText | undefined;
  /** `first` and `latest` by the time of their events; `signup` is the session of the first record about the user. */
  sessions: { first?: TimedText; latest?: TimedText; signup?: TimedText };
  /** The account a user is linked to. `linkedAt` is the time of the record that linked them. */
  accountId: string | undefined;
  linkedAt: number;
  /** The account that the record named, if that one was merged into the present one since. */
  accountOrigin: string | undefined;
  hasEvents: boolean;
  /** Undefined when they are not known: there are too many, or the user is from before events were counted. */
  eventCounts: EventCounts | undefined;
  /** How many merges it survived on the day of the last one (days since 1970). */
  merges: { day: number; count: number };
  /** It was merged with others, and consists of halves (`domain/identity/halves.ts`). */
  hasHalves: boolean;
  /** Somebody has decided that it must not be merged with another one. */
  isKeptApart: boolean;
  /** Records without proof are among those that made it, so what follows from its events may be of another person. */
  hasHints: boolean;
}

export function createProfile(kind: SubjectType, id: string, createdAt: number): Profile {
  return {
    subjectType: kind,
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
    accountOrigin: undefined,
    hasEvents: false,
    eventCounts: NO_EVENTS,
    merges: { day: 0, count: 0 },
    hasHalves: false,
    isKeptApart: false,
    hasHints: false,
  };
}

/** A copy that does not change with the original. */
export function copyProfile(profile: Profile): Profile {
  return {
    ...profile,
    identifiers: structuredClone(profile.identifiers),
    cells: new Map(profile.cells),
    sessions: { ...profile.sessions },
    merges: { ...profile.merges },
  };
}
