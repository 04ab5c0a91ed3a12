import type { Roster } from "../identity/roster.js";
import type { SubjectNotes, UndoNotes, WriterNotes } from "../undo/undo-notes.js";
import type { Outcome } from "./entry-application.js";

/** What the writers of a micro-batch have replaced; undefined when nothing was noted. */
export function notesOfBatch(outcome: Pick<Outcome, "events">, rosters: readonly Roster[]): UndoNotes | undefined {
  const notes: UndoNotes = {};
  for (const roster of rosters) {
    for (const profile of roster.undo.profiles()) {
      const current = roster.current(profile);
      if (roster.isRemoved(current)) continue;
      // A profile that was created and merged within the micro-batch was never stored.
      const isGone = roster.isNew(profile) && current !== profile;
      const id = isGone ? current.id : profile.id;
      for (const [source, { isNew, ...noted }] of roster.undo.notesOf(profile)) {
        const own = isNew && !isGone ? { isNew, ...noted } : noted;
        if (Object.keys(own).length > 0) add(notesOf(notes, source), roster, id, own);
      }
    }
  }
  for (const { id, job, user, isAgain } of outcome.events.values()) {
    if (!job || !user) continue;
    const noted = notesOf(notes, job.source);
    noted.events ??= { ids: [], at: job.at };
    noted.events.ids.push(id);
    if (isAgain) {
      noted.events.again ??= [];
      noted.events.again.push(id);
    }
  }
  return Object.keys(notes).length > 0 ? notes : undefined;
}

function notesOf(notes: UndoNotes, source: string): WriterNotes {
  notes[source] ??= {};
  return notes[source];
}

function add(noted: WriterNotes, { subjectType }: Roster, id: string, own: SubjectNotes): void {
  noted[subjectType] ??= {};
  const subjects = noted[subjectType];
  const known = subjects[id];
  // Two profiles that were merged in one micro-batch, one of which was never stored: what was noted first counts.
  subjects[id] = known ? { ...own, ...known } : own;
}
