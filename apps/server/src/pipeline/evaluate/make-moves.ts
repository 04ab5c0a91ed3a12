import { type Evaluation, type MembershipMove, NO_CHANGE } from "../../domain/changes/change-set.js";
import type { Lane } from "../../domain/entries/lanes.js";
import { appendChange, lockChangeHead, readEvaluations } from "../../storage/postgres/changes/changes.js";
import type { Database } from "../../storage/postgres/database.js";
import { pack } from "../../storage/postgres/ingest/packing.js";
import type { Questions } from "../../storage/questions/questions.js";
import type { Handover } from "../project/handover.js";

export interface MoveOptions {
  database: Database;
  questions: Questions;
  handover: Handover;
}

/** What made an evaluation necessary: a change or, with no sequence, a sweep. */
export interface Cause {
  sequence: number | undefined;
  lane: Lane;
  position: number;
}

/** Writes moves to the change log and to the question engine; a replay of the change writes the same again. Returns its sequence. */
export async function makeMoves(
  { database, questions, handover }: MoveOptions,
  organizationId: string,
  moves: MembershipMove[],
  { sequence: cause, lane, position }: Cause,
): Promise<number> {
  const at = new Date().toISOString();
  const evaluation: Evaluation = { at, moves, ...(cause === undefined ? {} : { cause }) };
  const change = { ...NO_CHANGE, evaluation };
  const payload = pack(change);
  const sequence = await database.transaction(async (tx) => {
    const next = (await lockChangeHead(tx, organizationId)) + 1;
    await appendChange(tx, organizationId, { sequence: next, lane, position, payload, isEvaluation: true });
    return next;
  });
  await questions.writeEvaluation(organizationId, sequence, evaluation);
  handover.noteWritten(organizationId, sequence);
  handover.put(organizationId, { sequence, lane, position, change, profiles: [] });
  return sequence;
}

/**
 * Writes moves that the change log has and the question engine may not have, because a failure came between the two.
 * Until then the stored memberships are not what was decided, and asking again would decide the same a second time.
 */
export async function finishMoves(
  { database, questions, handover }: MoveOptions,
  organizationId: string,
  after: number,
): Promise<void> {
  const written = [...handover.writtenOf(organizationId)];
  for (const { sequence, change } of await readEvaluations(database, organizationId, after, written)) {
    if (change.evaluation) await questions.writeEvaluation(organizationId, sequence, change.evaluation);
    handover.noteWritten(organizationId, sequence);
  }
}
