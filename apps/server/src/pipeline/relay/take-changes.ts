import { readNextChanges } from "../../storage/postgres/changes/changes.js";
import type { UnprojectedChange } from "../buffers/change-buffer.js";
import { type EvaluateOptions, finishAndReadMoves, type RecordedMoves } from "../evaluate/record-moves.js";

// Several micro-batches that wait are written together: a columnar engine is faster with few large writes.
const CHANGES_PER_STEP = 16;

export interface TakenChanges {
  changes: readonly UnprojectedChange[];
  /** Moves that are recorded further on in the log: by a sweep, or by a process that failed after it. */
  later: readonly RecordedMoves[];
}

/** The changes after a sequence, from the buffer or else from the change log. */
export async function takeChanges(
  options: EvaluateOptions,
  organizationId: string,
  after: number,
): Promise<TakenChanges> {
  const { changeBuffer, database } = options;
  const buffered = changeBuffer.takeAfter(organizationId, after);
  const lastBuffered = buffered.at(-1);
  if (lastBuffered) {
    const evaluations = changeBuffer.evaluationsAfter(organizationId, lastBuffered.sequence);
    const later = evaluations.map(({ sequence, change }) => ({ sequence, moves: change.evaluation?.moves ?? [] }));
    return { changes: buffered, later };
  }
  const changes = await readNextChanges(database, organizationId, after, CHANGES_PER_STEP);
  const last = changes.at(-1);
  if (!last) return { changes, later: [] };
  // This process has just started, has failed, or does not keep up: moves may be missing in the question engine.
  const recorded = await finishAndReadMoves(options, organizationId, after);
  return { changes, later: recorded.filter(({ sequence }) => sequence > last.sequence) };
}
