import type { SubjectType } from "@muster/protocol";
import { membersOf } from "../storage/clickhouse/memberships.js";
import { readProjectCursor } from "../storage/postgres/changes.js";
import {
  forgetDeletedSegment,
  listDeletedSegments,
  listSegments,
  markEvaluated,
  type Segment,
} from "../storage/postgres/segments.js";
import { type Cause, type EvaluateOptions, evaluateEverybody, makeMoves } from "./evaluate.js";

/** Segments that time alone can change are looked at this often: a window is left well within a minute. */
export const SWEEP_SECONDS = 20;

const LEAVERS_PER_STEP = 10_000;

/**
 * Makes segments true that no record will: those created or edited since, those that time has moved, and those deleted,
 * whose members leave. Runs in the project stage, so that nothing else evaluates the organization meanwhile. False when
 * nothing is due.
 */
export async function sweepNext(options: EvaluateOptions, organizationId: string): Promise<boolean> {
  const { sequence, positions } = await readProjectCursor(options.database, organizationId);
  const cause: Cause = { sequence, lane: "l", position: positions.l ?? 0 };
  if (await emptyDeleted(options, organizationId, cause)) return true;
  const due = (await listSegments(options.database, organizationId)).filter((segment) => isDue(segment, Date.now()));
  for (const entity of ["account", "user"] as const) {
    const segments = due.filter((segment) => segment.entity === entity);
    if (segments.length === 0) continue;
    await evaluateEverybody(options, organizationId, segments, cause);
    await markEvaluated(options.database, organizationId, segments);
    return true;
  }
  return false;
}

function isDue({ revision, evaluatedRevision, changesWithTime, evaluatedAt }: Segment, now: number): boolean {
  if (evaluatedRevision < revision) return true;
  return changesWithTime && now - (evaluatedAt?.getTime() ?? 0) >= SWEEP_SECONDS * 1_000;
}

async function emptyDeleted(options: EvaluateOptions, organizationId: string, cause: Cause): Promise<boolean> {
  const [deleted] = await listDeletedSegments(options.database, organizationId);
  if (!deleted) return false;
  const left = await membersOf(options.clickhouse, organizationId, deleted.id, LEAVERS_PER_STEP);
  if (left.length === 0) await forgetDeletedSegment(options.database, organizationId, deleted.id);
  else {
    const move = { segmentId: deleted.id, segmentName: deleted.name, entity: deleted.entity as SubjectType };
    await makeMoves(options, organizationId, [{ ...move, entered: [], left }], cause, undefined);
  }
  return true;
}
