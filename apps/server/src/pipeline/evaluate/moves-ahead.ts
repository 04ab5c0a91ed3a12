import type { SegmentMoves } from "../../domain/changes/change-set.js";
import { readEvaluations } from "../../storage/postgres/changes/changes.js";
import type { Database } from "../../storage/postgres/database.js";
import type { NotifyCursor } from "../../storage/postgres/delivery/outbox.js";
import type { Questions } from "../../storage/questions/questions.js";

/** Moves as the change log has them. */
export interface RecordedMoves {
  sequence: number;
  moves: readonly SegmentMoves[];
}

// An evaluation has up to some thousand moves.
const EVALUATIONS_PER_PAGE = 16;

/**
 * Moves between segments that are recorded further on in the change log than the relay has come, and that connectors
 * were not told of yet: by a sweep, or by a process that failed after it. The log is read once; after that, this process
 * is the only one that records moves of the organization.
 */
export class MovesAhead {
  /** By organization. Missing: the log must be read. */
  readonly #untold = new Map<string, RecordedMoves[]>();

  /**
   * Writes to the question engine the moves that the change log has and the engine may lack, because a process failed
   * between the two. Until then the stored memberships are not those that were decided, and an evaluation would decide
   * the same moves a second time.
   */
  async complete(
    { database, questions }: { database: Database; questions: Questions },
    organizationId: string,
    after: number,
    { sequence: notified, ahead }: NotifyCursor,
  ): Promise<void> {
    if (this.#untold.has(organizationId)) return;
    const told = new Set(ahead);
    const untold: RecordedMoves[] = [];
    for (let last = after; ; ) {
      const page = await readEvaluations(database, organizationId, last, EVALUATIONS_PER_PAGE);
      for (const { sequence, change } of page) {
        last = sequence;
        if (!change.evaluation) continue;
        await questions.writeEvaluation(organizationId, sequence, change.evaluation);
        if (sequence > notified && !told.has(sequence)) untold.push({ sequence, moves: change.evaluation.moves });
      }
      if (page.length < EVALUATIONS_PER_PAGE) break;
    }
    this.#untold.set(organizationId, untold);
  }

  /** Notes moves that this process has just recorded. */
  note(organizationId: string, recorded: RecordedMoves): void {
    this.#untold.get(organizationId)?.push(recorded);
  }

  /** The moves after a sequence that connectors were not told of, in order. */
  untoldAfter(organizationId: string, sequence: number): RecordedMoves[] {
    return (this.#untold.get(organizationId) ?? []).filter((recorded) => recorded.sequence > sequence);
  }

  /** Notes that connectors were told of all moves. */
  noteTold(organizationId: string): void {
    if (this.#untold.has(organizationId)) this.#untold.set(organizationId, []);
  }

  /** Makes the next call of `complete` read the log: the process failed, or another one may have recorded moves. */
  forget(organizationId: string): void {
    this.#untold.delete(organizationId);
  }
}
