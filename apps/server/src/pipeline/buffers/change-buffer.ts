import { EventEmitter, once } from "node:events";
import type { Profile } from "../../domain/profiles/profile.js";
import type { LoggedChange } from "../../storage/postgres/changes/changes.js";

/** A change that is in the change log and not in the question engine yet. */
export interface UnprojectedChange extends LoggedChange {
  /** The users and accounts as the change left them. Only changes from the buffer bring them along. */
  profiles?: readonly Profile[];
  /** When it was applied, in milliseconds. Only changes from the buffer say it. */
  appliedAt?: number;
}

/** A change that this process has just made. */
export interface AppliedChange extends UnprojectedChange {
  profiles: readonly Profile[];
}

// Each change holds some thousand profiles. Apply waits while two of them are here: more made nothing faster and took
// 130 MB more. It waits only for a while: a projection that makes no progress reads what it needs from the change log
// and the tables.
const CHANGES_AHEAD = 2;
const LONGEST_WAIT_MS = 2_000;
// Evaluations come in addition. They do not wait.
const MAX_CHANGES = 4;
/** The limit of all organizations together. */
const MAX_BYTES = 64 * 1024 * 1024;
/** About how much memory one change may take. Two of this size fit, with room for an evaluation and for profiles that grow. */
export const CHANGE_BYTES = 24 * 1024 * 1024;

interface BufferedChange {
  change: AppliedChange;
  bytes: number;
}

/**
 * Holds changes that this process has just made, so that its relay need not read them back. It is only a
 * shortcut: everything in it is in PostgreSQL too.
 */
export class ChangeBuffer {
  /** By organization. The one that got a change last comes last. */
  readonly #changes = new Map<string, Map<number, BufferedChange>>();
  #bytes = 0;
  /** The last change of each organization that was dropped, until the relay has passed it. */
  readonly #dropped = new Map<string, number>();
  readonly #taken = new EventEmitter().setMaxListeners(0);

  /** Whether as many changes are here as may wait. */
  isFull(organizationId: string, ahead = CHANGES_AHEAD): boolean {
    return (this.#changes.get(organizationId)?.size ?? 0) >= ahead;
  }

  /** While the buffer is full, or has as many changes as `ahead`, waits until the relay has taken some, or for two seconds. */
  async waitForRoom(organizationId: string, ahead = CHANGES_AHEAD): Promise<void> {
    if (!this.isFull(organizationId, ahead)) return;
    await once(this.#taken, organizationId, { signal: AbortSignal.timeout(LONGEST_WAIT_MS) }).catch(() => undefined);
  }

  /**
   * Keeps a change. A full buffer is emptied first: the relay does not keep up and reads from the change log. A
   * change that does not fit beside those of other organizations takes their place. If it still does not fit, nothing
   * of its organization is kept: the relay takes changes without a gap.
   *
   * @param bytes About how much memory the change takes.
   */
  put(organizationId: string, change: AppliedChange, bytes: number): void {
    // The applier and the relay put their changes here in any order. One that comes after a later one was dropped
    // must not stay alone: the later one may be an evaluation.
    if (change.sequence <= (this.#dropped.get(organizationId) ?? 0)) return;
    if ((this.#changes.get(organizationId)?.size ?? 0) >= MAX_CHANGES) this.#drop(organizationId);
    const changes = this.#changes.get(organizationId) ?? new Map<number, BufferedChange>();
    for (const other of this.#changes.keys()) {
      if (this.#bytes + bytes <= MAX_BYTES) break;
      if (other !== organizationId) this.#drop(other);
    }
    if (this.#bytes + bytes > MAX_BYTES) {
      this.#drop(organizationId, change.sequence);
      return;
    }
    changes.set(change.sequence, { change, bytes });
    this.#bytes += bytes;
    this.#changes.delete(organizationId);
    this.#changes.set(organizationId, changes);
  }

  /** Takes the changes that follow `sequence` without a gap; none when the next one is not here. */
  takeAfter(organizationId: string, sequence: number): AppliedChange[] {
    const changes = this.#changes.get(organizationId);
    const taken: AppliedChange[] = [];
    for (let next = changes?.get(sequence + 1); next; next = changes?.get(next.change.sequence + 1)) {
      taken.push(next.change);
    }
    for (const [known, { bytes }] of changes ?? []) {
      if (known > sequence + taken.length) continue;
      changes?.delete(known);
      this.#bytes -= bytes;
    }
    if (changes?.size === 0) this.#changes.delete(organizationId);
    if ((this.#dropped.get(organizationId) ?? 0) <= sequence) this.#dropped.delete(organizationId);
    this.#taken.emit(organizationId);
    return taken;
  }

  /**
   * Forgets everything about an organization, whose question engine is filled anew or was filled by another process.
   *
   * @param head The last change in the log. Changes up to it are not kept either.
   */
  clear(organizationId: string, head: number): void {
    this.#drop(organizationId, head);
    this.#taken.emit(organizationId);
  }

  #drop(organizationId: string, until = 0): void {
    let last = Math.max(until, this.#dropped.get(organizationId) ?? 0);
    for (const [sequence, { bytes }] of this.#changes.get(organizationId) ?? []) {
      last = Math.max(last, sequence);
      this.#bytes -= bytes;
    }
    this.#dropped.set(organizationId, last);
    this.#changes.delete(organizationId);
  }
}
