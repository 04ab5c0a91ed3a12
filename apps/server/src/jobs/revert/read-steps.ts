import type { SubjectType } from "@muster/protocol";
import type { ChangeSet } from "../../domain/changes/change-set.js";
import type { UndoStep } from "../../pipeline/undo/undo-step.js";
import { readChange, readChangeBefore, type WriterRange } from "../../storage/postgres/changes/change-writers.js";
import type { Database } from "../../storage/postgres/database.js";

/** What one change has noted of a writer. */
export interface StepsOfChange {
  sequence: number;
  change: ChangeSet;
  /** Events, then users, then accounts: a user without events may be removed, and so may an account without users. */
  steps: UndoStep[];
}

/** The changes of a writer with their steps, from the latest to the first. Each is read when it is asked for. */
export async function* readSteps(
  database: Database,
  organizationId: string,
  range: WriterRange,
  before = Number.MAX_SAFE_INTEGER,
): AsyncGenerator<StepsOfChange> {
  let sequence = before;
  for (;;) {
    const found = await readChangeBefore(database, organizationId, range, sequence);
    if (!found) return;
    sequence = found.sequence;
    const { change } = found;
    yield { sequence, change, steps: await stepsOf(database, organizationId, range.writer, found) };
  }
}

async function stepsOf(
  database: Database,
  organizationId: string,
  writer: string,
  { sequence, change }: { sequence: number; change: ChangeSet },
): Promise<UndoStep[]> {
  const notes = change.undo?.[writer];
  if (!notes) return [];
  const steps: UndoStep[] = [];
  if (notes.events) {
    const { at, ids, again } = notes.events;
    const brought = new Set(ids);
    const repeated = new Set(again);
    for (const event of change.events) {
      if (!brought.has(event.id)) continue;
      steps.push({ event, at, sequence, ...(repeated.has(event.id) ? { isAgain: true } : {}) });
    }
  }
  for (const subjectType of ["user", "account"] as const satisfies SubjectType[]) {
    for (const [id, noted] of Object.entries(notes[subjectType] ?? {})) steps.push({ subjectType, id, notes: noted });
  }
  if (notes.removedEvents) {
    const { ids, keys, sequence: of, at } = notes.removedEvents;
    const removed = new Set(ids);
    const keyed = new Set(keys);
    const events = (await readChange(database, organizationId, of))?.events ?? [];
    for (const event of events) {
      if (!removed.has(event.id)) continue;
      steps.push({ event, at, sequence: of, comesBack: { isKeyed: keyed.has(event.event_id) } });
    }
  }
  return steps;
}
