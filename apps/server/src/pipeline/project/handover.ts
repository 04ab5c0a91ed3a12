import { EventEmitter, once } from "node:events";
import type { ChangeSet } from "../../domain/changes/change-set.js";
import type { Lane } from "../../domain/entries/lanes.js";
import type { Profile } from "../../domain/identity/profile.js";

/** A change that was just made, with the users and accounts as it left them. */
export interface AppliedBatch {
  sequence: number;
  lane: Lane;
  position: number;
  change: ChangeSet;
  profiles: readonly Profile[];
}

// Each holds some thousand profiles. Apply waits for room, but not for ever: a projection that makes no headway reads what
// it needs from the change log and the tables.
const MAX_WAITING = 4;
const LONGEST_WAIT_MS = 2_000;

/**
 * Carries changes to the projection of the same process, which then need not read back what was just written. Only a
 * shortcut: everything in it is in PostgreSQL too.
 */
export class Handover {
  readonly #waiting = new Map<string, Map<number, AppliedBatch>>();
  readonly #written = new Map<string, Set<number>>();
  readonly #taken = new EventEmitter().setMaxListeners(0);

  /** Waits until the projection has taken some of what waits, or seems stuck. */
  async room(organizationId: string): Promise<void> {
    if ((this.#waiting.get(organizationId)?.size ?? 0) < MAX_WAITING) return;
    await once(this.#taken, organizationId, { signal: AbortSignal.timeout(LONGEST_WAIT_MS) }).catch(() => undefined);
  }

  put(organizationId: string, batch: AppliedBatch): void {
    const waiting = this.#waiting.get(organizationId) ?? new Map<number, AppliedBatch>();
    if (waiting.size >= MAX_WAITING) waiting.clear();
    waiting.set(batch.sequence, batch);
    this.#waiting.set(organizationId, waiting);
  }

  /** Notes that this process has written a change to the question engine, ahead of the cursor. */
  noteWritten(organizationId: string, sequence: number): void {
    const written = this.#written.get(organizationId) ?? new Set();
    this.#written.set(organizationId, written.add(sequence));
  }

  writtenOf(organizationId: string): ReadonlySet<number> {
    return this.#written.get(organizationId) ?? new Set();
  }

  /** Forgets what waits, and what was written: the question engine begins anew. */
  clear(organizationId: string): void {
    this.#waiting.delete(organizationId);
    this.#written.delete(organizationId);
    this.#taken.emit(organizationId);
  }

  /** The changes that follow `sequence` without a gap; none when the next one is not here. */
  takeAfter(organizationId: string, sequence: number): AppliedBatch[] {
    const waiting = this.#waiting.get(organizationId);
    const taken: AppliedBatch[] = [];
    for (let next = waiting?.get(sequence + 1); next; next = waiting?.get(next.sequence + 1)) taken.push(next);
    for (const known of waiting?.keys() ?? []) if (known <= sequence + taken.length) waiting?.delete(known);
    const written = this.#written.get(organizationId);
    for (const known of written ?? []) if (known <= sequence) written?.delete(known);
    this.#taken.emit(organizationId);
    return taken;
  }
}
