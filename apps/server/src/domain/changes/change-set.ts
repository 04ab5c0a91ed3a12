import type { SubjectType } from "@muster/protocol";
import type { AttributeValue } from "../attributes/attribute-values.js";
import type { EventKey, StoredEvent } from "../events/stored-event.js";
import type { UndoNotes } from "../undo/undo-notes.js";

/** Attribute changes of one profile, by report key: the value before and the value after. */
export type AttributeChanges = Record<string, [AttributeValue, AttributeValue]>;

export interface ProfileChange {
  id: string;
  isNew: boolean;
  changes: AttributeChanges;
  /** Changes of the identifiers that reports show and that are no attributes. Absent when there are none. */
  identifiers?: AttributeChanges;
}

/**
 * An event that was overwritten by a record with the same event id: about another user, within another account, or with
 * another name.
 */
export interface LostEvent {
  /** Its name before. */
  event: string;
  /** The user that had it, by its present id. Null when the user still has it under this name, or does not exist. */
  userId: string | null;
  /** The account that had it. Null when it still has it under this name, or there was none. */
  accountId: string | null;
}

/** All stored events with a name get another. */
export interface RenamedEvents {
  from: string;
  into: string;
  /** The merge of a name is undone: only the events that came with one of these names get their name back. */
  sentAs?: string[];
}

/** A subject that was merged is one of its own again. */
export interface UnmergedSubjects {
  kind: SubjectType;
  survivor: string;
  restored: string;
  /** The origins of the events that go back. */
  origins: string[];
}

/** Everything that one micro-batch changed. It is stored as one row of the change log. */
export interface ChangeSet {
  users: ProfileChange[];
  accounts: ProfileChange[];
  events: StoredEvent[];
  /** Event rows that a later record with the same id has overwritten. */
  replaced: EventKey[];
  /** Events that a user or an account has lost. Absent when there are none. */
  lost?: LostEvent[];
  /** Accounts that users have left by an erasure, by a merge or silently. Absent when there are none. */
  left?: string[];
  merges: { kind: SubjectType; survivor: string; loser: string; hasEvents: boolean }[];
  /** Merges that were undone. Absent when there are none. */
  unmerges?: UnmergedSubjects[];
  /** Erased profiles, each with the ids of the profiles that were merged into it. */
  removed: { kind: SubjectType; id: string; formerIds: string[] }[];
  /** Stored events with one name get another. Absent when there are none. */
  renamed?: RenamedEvents[];
  /** Connectors are not notified, because every entry of the micro-batch asked for silence. Such a change has no values. */
  quiet?: true;
  /** What writers have replaced, so that their writes can be taken back. Absent when there is nothing. */
  undo?: UndoNotes;
  /** Who entered and left segments. Only changes made by an evaluation have it. */
  evaluation?: Evaluation;
}

/** Subjects that entered and left one segment. */
export interface SegmentMoves {
  segmentId: string;
  segmentName: string;
  subjectType: SubjectType;
  entered: string[];
  left: string[];
  /** The subjects in `left` that do not exist any more. They get no event in their timeline. */
  gone?: string[];
  /** The segment is new: those who entered matched it before, nobody knows since when. */
  isFirst?: true;
}

export interface Evaluation {
  at: string;
  moves: SegmentMoves[];
  /**
   * The sequence of the change that made the evaluation necessary. Connectors are notified of both together. Undefined
   * when a sweep found that a result had changed with time.
   */
  cause?: number;
}

export const NO_CHANGE: ChangeSet = { users: [], accounts: [], events: [], replaced: [], merges: [], removed: [] };
