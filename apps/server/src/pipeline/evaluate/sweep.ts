import { LANE } from "../../domain/entries/lanes.js";
import { readProjectCursor } from "../../storage/postgres/changes/changes.js";
import {
  type DeletedSegment,
  forgetDeletedSegment,
  listDeletedSegments,
  listSegments,
  markEvaluated,
  type Segment,
} from "../../storage/postgres/segments/segments.js";
import { noteBroken } from "./broken-segments.js";
import { evaluateSegment, followMoves } from "./evaluate.js";
import { type EvaluateOptions, type EvaluationCause, finishMoves, recordMoves } from "./record-moves.js";

/** Segments whose result changes with time alone are evaluated this often, so that a member leaves within a minute. */
export const SWEEP_SECONDS = 20;

/** Segments that cannot be evaluated are tried again this often. */
export const RETRY_SECONDS = 60;

// A page is one change, and its events are written with it. Time moves few subjects at once, so one page is mostly
// enough. A segment that a million users enter takes fifty pages, and other work of the organization goes on between
// them.
const MOVED_PER_STEP = 20_000;

/**
 * Re-evaluates segments whose result changes without any new record: created and edited ones, ones that depend on the
 * time, and deleted ones, whose members leave. The relay runs it, so that nothing else evaluates segments of
 * the organization at the same time. It keeps no state between steps: a subject that has moved is not found again.
 * False when no segment is due.
 */
export async function sweepNext(options: EvaluateOptions, organizationId: string): Promise<boolean> {
  const { database, lease } = options;
  const { sequence, positions } = await readProjectCursor(database, organizationId);
  const cause: EvaluationCause = { sequence: undefined, lane: LANE.live, position: positions[LANE.live] ?? 0 };
  await finishMoves(options, organizationId, sequence);
  const [deleted] = await listDeletedSegments(database, organizationId);
  if (deleted) {
    await emptySegment(options, organizationId, deleted, cause);
    return true;
  }
  const segment = await nextDue(options, organizationId);
  if (!segment) return false;
  const moved = await evaluateSegment(options, organizationId, segment, MOVED_PER_STEP, cause);
  if (typeof moved !== "number") {
    // It keeps its members, and other segments and changes do not wait for it.
    await noteBroken(options, organizationId, [moved]);
    return true;
  }
  if (moved < MOVED_PER_STEP) {
    await database.transaction(async (tx) => {
      await lease.confirm(tx);
      await markEvaluated(tx, organizationId, [segment]);
    });
  }
  return true;
}

/** Segments of accounts come first, because segments of users may ask about them. */
async function nextDue({ database }: EvaluateOptions, organizationId: string): Promise<Segment | undefined> {
  const now = Date.now();
  const due = (await listSegments(database, organizationId)).filter((segment) => isDue(segment, now));
  return due.find(({ subjectType }) => subjectType === "account") ?? due[0];
}

/** Lets members of a deleted segment leave, and forgets the segment once it is empty. */
async function emptySegment(
  options: EvaluateOptions,
  organizationId: string,
  { id, name, subjectType }: DeletedSegment,
  cause: EvaluationCause,
): Promise<void> {
  const { database, questions, lease } = options;
  const left = await questions.membersAfter(organizationId, id, "", MOVED_PER_STEP);
  if (left.length === 0) {
    await database.transaction(async (tx) => {
      await lease.confirm(tx);
      await forgetDeletedSegment(tx, organizationId, id);
    });
    return;
  }
  const move = { segmentId: id, segmentName: name, subjectType, entered: [], left };
  await recordMoves(options, organizationId, [move], cause);
  await followMoves(options, organizationId, subjectType, left, cause);
}

function isDue(segment: Segment, now: number): boolean {
  // An evaluation in the future was noted while a clock was ahead.
  const age = Math.abs(now - (segment.evaluatedAt?.getTime() ?? 0));
  if (segment.problem !== null) return age >= RETRY_SECONDS * 1_000;
  return segment.evaluatedRevision < segment.revision || (segment.changesWithTime && age >= SWEEP_SECONDS * 1_000);
}
