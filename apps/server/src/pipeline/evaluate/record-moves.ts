import type { Logger } from "pino";
import { type Evaluation, NO_CHANGE, type SegmentMoves } from "../../domain/changes/change-set.js";
import type { Lane } from "../../domain/entries/lanes.js";
import { compress, decompressedSize, memoryOf } from "../../storage/logs/compression.js";
import { appendChange, lockChangeHead } from "../../storage/postgres/changes/changes.js";
import type { Database } from "../../storage/postgres/database.js";
import type { WorkLease } from "../../storage/postgres/leases/work-lease.js";
import type { Questions } from "../../storage/questions/questions.js";
import type { ChangeBuffer } from "../buffers/change-buffer.js";
import type { MovesAhead } from "./moves-ahead.js";

export interface EvaluateOptions {
  database: Database;
  questions: Questions;
  changeBuffer: ChangeBuffer;
  movesAhead: MovesAhead;
  /** The lease of this process on the work of the organization. */
  lease: WorkLease;
  logger: Logger;
  /** Is told whom this step evaluates, because a sweep may look at them at the same time. */
  sweeps: {
    noteTouched(organizationId: string, ids: Iterable<string>): void;
    request(organizationId: string): void;
  };
}

/** Why segments were evaluated: because of the change with this sequence or, without a sequence, by a sweep. */
export interface EvaluationCause {
  sequence: number | undefined;
  lane: Lane;
  position: number;
}

/**
 * Records moves as a change of their own in the change log, then in the question engine. Replaying that change writes
 * the same again.
 */
export async function recordMoves(
  { database, questions, changeBuffer, movesAhead, lease }: EvaluateOptions,
  organizationId: string,
  moves: SegmentMoves[],
  { sequence: cause, lane, position }: EvaluationCause,
): Promise<void> {
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
  movesAhead.note(organizationId, { sequence, moves });
  await questions.writeEvaluation(organizationId, sequence, evaluation);
  changeBuffer.put(
    organizationId,
    { sequence, lane, position, change, profiles: [] },
    memoryOf(decompressedSize(payload)),
  );
}
