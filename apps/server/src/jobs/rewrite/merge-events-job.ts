import { loadSegments } from "../../audience/segments/known-segments.js";
import { NO_CHANGE } from "../../domain/changes/change-set.js";
import { LANE } from "../../domain/entries/lanes.js";
import { compress } from "../../storage/logs/compression.js";
import { appendChange, lockChangeHead } from "../../storage/postgres/changes/changes.js";
import { mergeEventNames } from "../../storage/postgres/definitions/event-plans.js";
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
export async function mergeEvents(
  options: MergeEventsOptions,
  { job, signal, save }: JobRun,
  { from, into }: EventMerge,
) {
  const { database, questions, sweepSoon } = options;
  const { organizationId } = job;
  const [counted] = await questions.countEventsByName(organizationId, [from]);
  const events = counted?.count ?? 0;
  const sequence = await database.transaction(async (tx) => {
    const next = (await lockChangeHead(tx, organizationId)) + 1;
    await mergeEventNames(tx, organizationId, { from, into });
    const change = { ...NO_CHANGE, quiet: true as const, renamed: [{ from, into }] };
    // It has the position that bulk work has reached, because it must not claim that later entries are applied.
    const [cursor] = await readApplyCursors(tx, organizationId, [LANE.bulk]);
    const position = cursor?.position ?? 0;
    await appendChange(tx, organizationId, { sequence: next, lane: LANE.bulk, position, payload: compress(change) });
    return next;
  });
  await waitForEngine(options, organizationId, sequence, signal);
  const segments = await loadSegments(database, organizationId);
  const touched = segments.filter((segment) => {
    const reads = segmentReads(segment);
    return reads !== undefined && (reads.anyEvent || [from, into].some((name) => reads.events.includes(name)));
  });
  const ids = touched.map(({ id }) => id);
  await database.transaction((tx) => requestScans(tx, organizationId, ids, new Date()));
  sweepSoon(organizationId);
  await save({ ...job.progress, processed: events, total: events }, {});
  return { result: { changed: events } };
}
