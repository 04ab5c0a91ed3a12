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
import { evaluateSegment, followMoves } from "./evaluate.js";
import { type Cause, finishMoves, type MoveOptions, makeMoves } from "./make-moves.js";

/** Segments that time alone can change are looked at this often: a window is left well within a minute. */
export const SWEEP_SECONDS = 20;

// A page is one change, and its events are written with it. Time moves few at once, so that one page is mostly all; a
// segment that a million users enter takes fifty, between which other work of the organization goes on.
const MOVED_PER_STEP = 20_000;

/**
 * Looks at everybody for segments whose result changes without any record: those created or edited since, those that time
 * has moved, and those deleted, whose members leave. It runs in the project stage, so that nothing else evaluates the
 * organization meanwhile. Nothing needs to be remembered between steps: whoever has moved is not found again.
 */
export async function sweepNext(options: MoveOptions, organizationId: string): Promise<boolean> {
  const { database } = options;
  const { sequence, positions } = await readProjectCursor(database, organizationId);
  const cause: Cause = { sequence: undefined, lane: LANE.live, position: positions[LANE.live] ?? 0 };
  await finishMoves(options, organizationId, sequence);
  const [deleted] = await listDeletedSegments(database, organizationId);
  if (deleted) {
    await emptySegment(options, organizationId, deleted, cause);
    return true;
  }
  const segment = await nextDue(options, organizationId);
  if (!segment) return false;
  const moved = await evaluateSegment(options, organizationId, segment, MOVED_PER_STEP, cause);
  if (moved < MOVED_PER_STEP) await markEvaluated(database, organizationId, [segment]);
  return true;
}

/** Accounts come first: segments of users may ask about them. */
async function nextDue({ database }: MoveOptions, organizationId: string): Promise<Segment | undefined> {
  const now = Date.now();
  const due = (await listSegments(database, organizationId)).filter((segment) => isDue(segment, now));
  return due.find(({ subjectType }) => subjectType === "account") ?? due[0];
}

async function emptySegment(
  options: MoveOptions,
  organizationId: string,
  { id, name, subjectType }: DeletedSegment,
  cause: Cause,
): Promise<void> {
  const { database, questions } = options;
  const left = await questions.membersAfter(organizationId, id, "", MOVED_PER_STEP);
  if (left.length === 0) {
    await forgetDeletedSegment(database, organizationId, id);
    return;
  }
  const move = { segmentId: id, segmentName: name, subjectType, entered: [], left };
  await makeMoves(options, organizationId, [move], cause);
  await followMoves(options, organizationId, subjectType, left, cause);
}

function isDue({ revision, evaluatedRevision, changesWithTime, evaluatedAt }: Segment, now: number): boolean {
  if (evaluatedRevision < revision) return true;
  return changesWithTime && now - (evaluatedAt?.getTime() ?? 0) >= SWEEP_SECONDS * 1_000;
}
