import type { ChangeSet } from "../domain/change-set.js";
import type { Lane } from "../domain/lanes.js";
import type { Profile } from "../domain/profile.js";

/** A micro-batch that was just applied, with the users and accounts as it left them. */
export interface AppliedBatch {
  sequence: number;
  lane: Lane;
  position: number;
  change: ChangeSet;
  profiles: readonly Profile[];
}

// Beyond this the projection is behind, and reads what it needs from the change log and the tables.
const MAX_WAITING = 8;

/**
 * Carries applied batches to the projection of the same process, which then need not read back what was just written.
 * Only a shortcut: everything in it is in PostgreSQL too.
 */
export class Handover {
  readonly #waiting = new Map<string, AppliedBatch[]>();

  put(organizationId: string, batch: AppliedBatch): void {
    const waiting = this.#waiting.get(organizationId) ?? [];
    this.#waiting.set(organizationId, waiting);
    if (waiting.length >= MAX_WAITING) waiting.length = 0;
    waiting.push(batch);
  }

  /** The batches that follow `sequence` without a gap; none when the next one is not here. */
  takeAfter(organizationId: string, sequence: number): AppliedBatch[] {
    const waiting = this.#waiting.get(organizationId) ?? [];
    this.#waiting.delete(organizationId);
    const start = waiting.findIndex((batch) => batch.sequence === sequence + 1);
    return start === -1 ? [] : waiting.slice(start);
  }
}
