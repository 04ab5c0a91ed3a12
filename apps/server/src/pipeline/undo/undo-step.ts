import type { SubjectType } from "@muster/protocol";
import type { StoredEvent } from "../../domain/events/stored-event.js";
import type { SubjectNotes } from "../../domain/undo/undo-notes.js";

/** One thing to take back: what a note says about a subject, or an event. */
export type UndoStep = { subjectType: SubjectType; id: string; notes: SubjectNotes } | EventStep;

/** An event that a job brought, or that an undo removed and that comes back. */
export interface EventStep {
  event: StoredEvent;
  /** The record time of the entry that it was made from. */
  at: number;
  /** The change that has it. */
  sequence: number;
  /** The job had brought an event with this event id before, in an earlier change. */
  isAgain?: true;
  /** Comes back: whether its sender gave its event id. */
  comesBack?: { isKeyed: boolean };
}
