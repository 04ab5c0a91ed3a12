import type { SubjectType } from "@muster/protocol";
import type { AttributeValue } from "../attributes/attribute-values.js";
import type { IdentifierKind } from "../profiles/profile.js";

/** A cell in a note: its value, its time, its source, 1 when it is unproved, and of a consent what was said beside it. */
export type NotedCell = [AttributeValue, number, string, (0 | 1)?, [AttributeValue, number, string, (0 | 1)?]?];

/** A link of a user: the account, or null, and when it was made. */
export type NotedLink = [string | null, number];

/** What one writer did to one subject in a micro-batch, as far as taking it back needs it. */
export interface SubjectNotes {
  /** The writer has created the subject. Then its first values are not noted: there was nothing before. */
  isNew?: true;
  /**
   * What the writer's values have replaced: lists of names, values, and places in `writes` of their times and sources; -1
   * where there was nothing. Most cells of a subject were written together, so this is a third as long as whole cells, and lists
   * are quick to make and to print.
   */
  before?: { names: string[]; values: AttributeValue[]; places: number[]; writes: [number, string, (0 | 1)?][] };
  /** The same as whole cells: consents that have something said beside them, and what a revert has replaced. */
  cells?: Record<string, NotedCell | null>;
  /** Values that lost against those of the writer, and 1 for those that are only taken where there is none. */
  late?: Record<string, [NotedCell, (0 | 1)?][]>;
  /**
   * Written by the undo of another job whose value this writer has replaced: which value to restore in the place of that one.
   * The source of that job, the value before it, and the source of the undo.
   */
  instead?: Record<string, [string, NotedCell | null, string][]>;
  /** Identifiers that it added. */
  added?: [IdentifierKind, string][];
  /** The user's link before and after. */
  link?: [NotedLink, NotedLink];
  /** Of a revert: what it put in the place of `cells`. */
  restored?: Record<string, NotedCell | null>;
  /** Of a revert: identifiers that it took away. */
  taken?: [IdentifierKind, string][];
  /** Of a revert: the state of the subject that it removed, or that it has made again. */
  removed?: string;
  made?: string;
}

/** What one writer did in a micro-batch. */
export interface WriterNotes {
  user?: Record<string, SubjectNotes>;
  account?: Record<string, SubjectNotes>;
  /**
   * Ids of events that a job brought, and the record time of their entries. `again`: those of them that have overwritten an
   * event which the job had brought in an earlier micro-batch. It is in the notes of both.
   */
  events?: { ids: string[]; at: number; again?: string[] };
  /** Of a revert: ids of events that it removed, the event ids that it freed, and the change that has the events. */
  removedEvents?: { ids: string[]; keys: string[]; sequence: number; at: number };
}

/** The notes of a change, by the source that the cells of the writer have. Most changes have none. */
export type UndoNotes = Record<string, WriterNotes>;

/** The notes without those about the given subjects; undefined when nothing is left. */
export function notesWithout(notes: UndoNotes, ids: ReadonlySet<string>): UndoNotes | undefined {
  const kept: UndoNotes = {};
  for (const [writer, noted] of Object.entries(notes)) {
    const left = { ...noted };
    for (const kind of ["user", "account"] as const satisfies SubjectType[]) {
      if (!noted[kind]) continue;
      const subjects = Object.entries(noted[kind]).filter(([id]) => !ids.has(id));
      if (subjects.length > 0) left[kind] = Object.fromEntries(subjects);
      else delete left[kind];
    }
    if (Object.keys(left).length > 0) kept[writer] = left;
  }
  return Object.keys(kept).length > 0 ? kept : undefined;
}

/** The subjects that notes are about. */
export function subjectsNoted(notes: UndoNotes): string[] {
  return Object.values(notes).flatMap(({ user = {}, account = {} }) => [...Object.keys(user), ...Object.keys(account)]);
}
