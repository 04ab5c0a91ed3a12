import type { SubjectType } from "@muster/protocol";
import type { AttributeValue } from "../identity/profile.js";

/** The source and type of events that the platform itself makes. */
export const PLATFORM = "platform";

/** An event as it is stored and read back. */
export interface StoredEvent {
  id: string;
  event: string;
  event_id: string;
  event_source: string;
  event_type: string;
  created_at: string;
  user_id: string;
  /** The user it was first resolved to: what undoing a merge needs. */
  origin_id: string;
  account_id: string | null;
  anonymous_id: string | null;
  session_id: string | null;
  /** What the user acted on. */
  entity_id?: string;
  properties: Record<string, unknown>;
  context: Record<string, unknown>;
}

/** Attribute changes of one profile, by report key: what it was, what it is. */
export type AttributeChanges = Record<string, [AttributeValue, AttributeValue]>;

export interface ProfileChange {
  id: string;
  isNew: boolean;
  changes: AttributeChanges;
}

/** Where an event row that must go is found. */
export interface EventKey {
  id: string;
  event: string;
  createdAt: number;
}

/** What one micro-batch changed: one row of the change log. */
export interface ChangeSet {
  users: ProfileChange[];
  accounts: ProfileChange[];
  events: StoredEvent[];
  /** Rows of events that a later record with the same id has overwritten. */
  replaced: EventKey[];
  merges: { kind: SubjectType; survivor: string; loser: string; hasEvents: boolean }[];
  /** Erased profiles, with the ids they had before merges. */
  removed: { kind: SubjectType; id: string; formerIds: string[] }[];
  /** Connectors are not told: every entry of the micro-batch asked for that. */
  quiet?: true;
  /** Who entered and left segments: of changes that evaluation made. */
  evaluation?: Evaluation;
}

/** Subjects that entered and left one segment. */
export interface MembershipMove {
  segmentId: string;
  segmentName: string;
  subjectType: SubjectType;
  entered: string[];
  left: string[];
  /** Those of `left` that do not exist any more: nothing is noted in their timeline. */
  gone?: string[];
}

export interface Evaluation {
  at: string;
  moves: MembershipMove[];
  /** The change that made it necessary, with which connectors are told of it; none when a sweep found it. */
  cause?: number;
}

export const NO_CHANGE: ChangeSet = { users: [], accounts: [], events: [], replaced: [], merges: [], removed: [] };
