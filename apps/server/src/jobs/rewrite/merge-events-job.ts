import { Refusal } from "@muster/protocol";
import { loadPresentEventPlans } from "../../audience/events/known-event-plans.js";
import { loadSegments } from "../../audience/segments/known-segments.js";
import { NO_CHANGE, type RenamedEvents } from "../../domain/changes/change-set.js";
import { LANE } from "../../domain/entries/lanes.js";
import type { EventPlans } from "../../domain/events/event-plan.js";
import { compress } from "../../storage/logs/compression.js";
import { appendChange, lockChangeHead } from "../../storage/postgres/changes/changes.js";
import type { Transaction } from "../../storage/postgres/database.js";
import { mergeEventNames, separateEventName } from "../../storage/postgres/definitions/event-plans.js";
import { readApplyCursors } from "../../storage/postgres/ingest/apply-cursors.js";
import { requestScans } from "../../storage/postgres/segments/segments.js";
import type { Questions } from "../../storage/questions/questions.js";
import type { JobRun } from "../runner/job-handler.js";
import { segmentReads } from "./segment-reads.js";
import { type EngineWait, waitForEngine } from "./wait-for-engine.js";

/** The request to merge event names, as its job stores it. */
export interface EventMerge {
  kind: "merge_events";
  from: string;
  into: string;
}

/** The request to undo the merge of an event name, as its job stores it. */
export interface EventUnmerge {
  kind: "unmerge_event";
  name: string;
}

export interface MergeEventsOptions extends EngineWait {
  questions: Pick<Questions, "countEventsByName">;
  /** Lets the segments that need it be evaluated. */
  sweepSoon(organizationId: string): void;
}

/**
 * Merges one event name into another. The alias for new events and the change that renames the stored ones are written in
 * one transaction with the lock of the change log. So every event before that change has the old name and is renamed, also
 * when the question engine is filled anew, and every event after it has the new one. Repeating the job changes nothing.
 */
export async function mergeEvents(options: MergeEventsOptions, run: JobRun, { from, into }: EventMerge) {
  const { questions } = options;
  const { organizationId } = run.job;
  const [counted] = await questions.countEventsByName(organizationId, [from]);
  const events = counted?.count ?? 0;
  await rename(options, run, async (tx, plans) => {
    // Another merge may have been done since this one was asked for.
    const current = plans.currentName(into);
    if (current === from) throw new Refusal("conflict", `"${into}" was merged into "${from}" in the meantime.`);
    await mergeEventNames(tx, organizationId, { from, into: current });
    return { from, into: current };
  });
  return done(run, events);
}

/**
 * Undoes the merge of an event name. Events know the name that they came with, also those that came after the merge, so
 * exactly the events of this name get it back, and those of names that had been merged into it before.
 */
export async function unmergeEvent(options: MergeEventsOptions, run: JobRun, { name }: EventUnmerge) {
  const { questions } = options;
  const { organizationId } = run.job;
  await rename(options, run, async (tx, plans) => {
    const from = plans.currentName(name);
    // The job runs again after a crash.
    if (from === name) return undefined;
    await separateEventName(tx, organizationId, { name, from });
    return { from, into: name, sentAs: plans.namesUnder(name) };
  });
  const [counted] = await questions.countEventsByName(organizationId, [name]);
  return done(run, counted?.count ?? 0);
}

/** Changes a name and renames the stored events, then evaluates the segments that ask for either name. */
async function rename(
  options: MergeEventsOptions,
  { job, signal }: JobRun,
  change: (tx: Transaction, plans: EventPlans) => Promise<RenamedEvents | undefined>,
): Promise<void> {
  const { database, sweepSoon } = options;
  const { organizationId } = job;
  const done = await database.transaction(async (tx) => {
    const sequence = (await lockChangeHead(tx, organizationId)) + 1;
    const plans = await loadPresentEventPlans(tx, organizationId);
    const renamed = await change(tx, plans);
    if (!renamed) return undefined;
    const payload = compress({ ...NO_CHANGE, quiet: true as const, renamed: [renamed] });
    // It has the position that bulk work has reached, because it must not claim that later entries are applied.
    const [cursor] = await readApplyCursors(tx, organizationId, [LANE.bulk]);
    await appendChange(tx, organizationId, { sequence, lane: LANE.bulk, position: cursor?.position ?? 0, payload });
    const names = [...plans.namesUnder(renamed.from), ...plans.namesUnder(renamed.into)];
    return { sequence, names: new Set(names) };
  });
  if (!done) return;
  await waitForEngine(options, organizationId, done.sequence, signal);
  const segments = await loadSegments(database, organizationId);
  const touched = segments.filter((segment) => {
    const reads = segmentReads(segment);
    return reads !== undefined && (reads.anyEvent || reads.events.some((name) => done.names.has(name)));
  });
  const ids = touched.map(({ id }) => id);
  await database.transaction((tx) => requestScans(tx, organizationId, ids, new Date()));
  sweepSoon(organizationId);
}

async function done({ job, save }: JobRun, events: number) {
  await save({ ...job.progress, processed: events, total: events }, {});
  return { result: { changed: events } };
}
