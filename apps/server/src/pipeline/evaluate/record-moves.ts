import type { Logger } from "pino";
import { type Evaluation, NO_CHANGE, type SegmentMoves } from "../../domain/changes/change-set.js";
import type { Lane } from "../../domain/entries/lanes.js";
import { compress, decompressedSize, memoryOf } from "../../storage/logs/compression.js";
import { appendChange, lockChangeHead, readEvaluations } from "../../storage/postgres/changes/changes.js";
import type { Database } from "../../storage/postgres/database.js";
import type { WorkLease } from "../../storage/postgres/leases/work-lease.js";
import type { Questions } from "../../storage/questions/questions.js";
import type { ChangeBuffer } from "../buffers/change-buffer.js";

export interface EvaluateOptions {
  database: Database;
  questions: Questions;
  changeBuffer: ChangeBuffer;
  /** The lease of this process on the work of the organization. */
  lease: WorkLease;
  logger: Logger;
}

/** Why segments were evaluated: because of the change with this sequence or, without a sequence, by a sweep. */
export interface EvaluationCause {
  sequence: number | undefined;
  lane: Lane;
  position: number;
}

/** Moves as the change log has them. */
export interface RecordedMoves {
  sequence: number;
  moves: readonly SegmentMoves[];
}

/**
 * Records moves as a change of their own in the change log, then in the question engine. Replaying that change writes
 * the same again. Returns the sequence of the change.
 */
export async function recordMoves(
  { database, questions, changeBuffer, lease }: EvaluateOptions,
  organizationId: string,
  moves: SegmentMoves[],
  { sequence: cause, lane, position }: EvaluationCause,
): Promise<number> {
  const at = new Date().toISOString();
  const evaluation: Evaluation = { at, moves, ...(cause === undefined ? {} : { cause }) };
  const change = { ...NO_CHANGE, evaluation };
  const payload = compress(change);
  const sequence = await database.transaction(async (tx) => {
    const [, head] = await Promise.all([lease.confirm(tx), lockChangeHead(tx, organizationId)]);
    const next = head + 1;
    await appendChange(tx, organizationId, { sequence: next, lane, position, payload, isEvaluation: true });
    return next;
  });
  await questions.writeEvaluation(organizationId, sequence, evaluation);
  changeBuffer.noteWrittenEvaluation(organizationId, sequence);
  changeBuffer.put(
    organizationId,
    { sequence, lane, position, change, profiles: [] },
    memoryOf(decompressedSize(payload)),
  );
  return sequence;
}

/**
 * Writes to the question engine the moves that the change log has and the engine may lack, because the process failed
 * between the two. Until then the stored memberships are not those that were decided, and an evaluation would decide
 * the same moves a second time.
 */
export async function finishMoves(options: EvaluateOptions, organizationId: string, after: number): Promise<void> {
  const written = [...options.changeBuffer.writtenEvaluations(organizationId)];
  await writeEvaluations(
    options,
    organizationId,
    await readEvaluations(options.database, organizationId, after, written),
  );
}

/** Does the same, and returns all moves after a change, also those that need not be written. */
export async function finishAndReadMoves(
  options: EvaluateOptions,
  organizationId: string,
  after: number,
): Promise<RecordedMoves[]> {
  const evaluations = await readEvaluations(options.database, organizationId, after, []);
  const written = options.changeBuffer.writtenEvaluations(organizationId);
  await writeEvaluations(
    options,
    organizationId,
    evaluations.filter(({ sequence }) => !written.has(sequence)),
  );
  return evaluations.map(({ sequence, change }) => ({ sequence, moves: change.evaluation?.moves ?? [] }));
}

async function writeEvaluations(
  { questions, changeBuffer }: EvaluateOptions,
  organizationId: string,
  evaluations: Awaited<ReturnType<typeof readEvaluations>>,
): Promise<void> {
  for (const { sequence, change } of evaluations) {
    if (change.evaluation) await questions.writeEvaluation(organizationId, sequence, change.evaluation);
    changeBuffer.noteWrittenEvaluation(organizationId, sequence);
  }
}
