import type { UndoResult } from "@muster/protocol/api/reverts";
import type { InsteadOf, LateCells } from "../../domain/revert/former-cell.js";
import { isOfJob } from "../../domain/undo/undo-recorder.js";
import type { EventStep } from "../../pipeline/undo/undo-step.js";
import type { WriterRange } from "../../storage/postgres/changes/change-writers.js";
import type { Database } from "../../storage/postgres/database.js";
import { findMergesCausedBy } from "../../storage/postgres/profiles/merge-rows.js";
import { isJobUndone } from "./is-job-undone.js";
import { readSteps } from "./read-steps.js";
import { findTakenEvents } from "./taken-events.js";

const MAX_LISTED_MERGES = 100;
const NONE: [] = [];

/** What must be known of all writes of a writer before the first one is taken back. */
export interface RevertSurvey {
  /** How many steps there are. */
  total: number;
  /** Values that lost against those of the writer, in the order of their arrival. */
  late(id: string, name: string): LateCells;
  /** What jobs wrote before it that are undone by now. */
  instead(id: string, name: string): InsteadOf;
  /** Whether any value of a subject has lost against the writer's. */
  hasLate(id: string): boolean;
  /**
   * Whether a later change of the job has an event with the same event id, which took the place of this one, or an earlier
   * undo has taken it back.
   */
  isLeftOut(step: EventStep): boolean;
  /** Subjects that several pages are about. */
  repeated: ReadonlySet<string>;
  merges: UndoResult["merges"];
}

/**
 * Reads the notes of a writer once. In memory are then the values that came late and the ids of events that came again, which
 * are few, digests of the events that earlier undos have taken back, and for a dry run the ids of subjects.
 */
export async function surveyRevert(
  database: Database,
  organizationId: string,
  range: WriterRange,
  { signal, dryRun }: { signal: AbortSignal; dryRun: boolean },
): Promise<RevertSurvey> {
  const late = new Map<string, Map<string, LateCells>>();
  const instead = new Map<string, Map<string, InsteadOf>>();
  const taken = await findTakenEvents(database, organizationId, range.writer, signal);
  const isUndone = isUndoneIn(database, organizationId);
  const seen = new Set<string>();
  const repeated = new Set<string>();
  const overwrittenIn = new Map<string, number>();
  const merges: UndoResult["merges"] = { total: 0, items: [] };
  let total = 0;
  for await (const { change, steps } of readSteps(database, organizationId, range)) {
    signal.throwIfAborted();
    total += steps.length;
    for (const step of steps) {
      const id = "event" in step ? step.event.user_id : step.id;
      if (dryRun && seen.has(id)) repeated.add(id);
      else if (dryRun) seen.add(id);
      if ("event" in step) {
        const { event, isAgain, sequence } = step;
        // The changes are read from the latest to the first.
        if (isAgain && !overwrittenIn.has(event.event_id)) overwrittenIn.set(event.event_id, sequence);
        continue;
      }
      for (const [name, given] of Object.entries(step.notes.instead ?? {})) {
        // The undo of an undo brings the job's value back.
        for (const each of given) if (!(await isUndone(each[2]))) add(instead, id, name, [each]);
      }
      for (const [name, cells] of Object.entries(step.notes.late ?? {})) {
        const left: LateCells = [];
        for (const cell of cells) if (!(await isUndone(cell[0][2]))) left.push(cell);
        if (left.length > 0) add(late, id, name, left);
      }
    }
    const losers = change.merges.map(({ loser }) => loser);
    const caused = await findMergesCausedBy(database, organizationId, range.writer, losers);
    merges.total += caused.length;
    for (const { loserId, survivorId } of caused) {
      if (merges.items.length === MAX_LISTED_MERGES) break;
      const { kind } = change.merges.find(({ loser }) => loser === loserId)!;
      merges.items.push({ subject: kind, survivor_id: survivorId, merged_id: loserId });
    }
  }
  return {
    total,
    late: (id, name) => late.get(id)?.get(name) ?? NONE,
    instead: (id, name) => instead.get(id)?.get(name) ?? NONE,
    hasLate: (id) => late.has(id),
    isLeftOut: ({ event, sequence }) => sequence < (overwrittenIn.get(event.event_id) ?? 0) || taken.has(event.id),
    repeated,
    merges,
  };
}

/** Adds values before those that are known: the changes are read from the latest to the first. */
function add<Value>(all: Map<string, Map<string, Value[]>>, id: string, name: string, values: readonly Value[]): void {
  const ofSubject = all.get(id) ?? new Map<string, Value[]>();
  all.set(id, ofSubject);
  ofSubject.set(name, [...values, ...(ofSubject.get(name) ?? [])]);
}

/** Whether what a job wrote is undone now. Few jobs are asked for, each very often. */
function isUndoneIn(database: Database, organizationId: string): (source: string) => Promise<boolean> {
  const known = new Map<string, boolean>();
  return async (source) => {
    const before = known.get(source);
    if (before !== undefined) return before;
    const undone = isOfJob(source) && (await isJobUndone(database, organizationId, source));
    known.set(source, undone);
    return undone;
  };
}
