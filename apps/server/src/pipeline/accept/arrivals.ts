import type { Lane, LanePositions } from "../../domain/entries/lanes.js";
import type { LoggedBatch } from "../../storage/postgres/ingest/ingest-log.js";

// Beyond this apply is behind, and reads what it needs from the log.
const MAX_WAITING_ENTRIES = 10_000;

interface Waiting {
  batches: Map<string, LoggedBatch>;
  entries: number;
}

/**
 * Carries accepted batches to the applier of the same process, which then need not read back what was just logged. Only
 * a shortcut: everything in it is in the log, and what does not fit is read from there.
 */
export class Arrivals {
  readonly #waiting = new Map<string, Waiting>();
  #isOpen = false;

  /** From now on somebody takes what is put here. */
  open(): void {
    this.#isOpen = true;
  }

  put(organizationId: string, parts: readonly { lane: Lane; batch: LoggedBatch }[]): void {
    if (!this.#isOpen) return;
    const waiting = this.#waiting.get(organizationId) ?? { batches: new Map(), entries: 0 };
    this.#waiting.set(organizationId, waiting);
    for (const { lane, batch } of parts) {
      if (waiting.entries + batch.entries.length > MAX_WAITING_ENTRIES) return;
      waiting.batches.set(key(lane, batch.position), batch);
      waiting.entries += batch.entries.length;
    }
  }

  /** The batches of a lane that follow a position without a gap, until they hold `maxEntries`; they stay here. */
  after(organizationId: string, lane: Lane, position: number, maxEntries: number): LoggedBatch[] {
    const found: LoggedBatch[] = [];
    const batches = this.#waiting.get(organizationId)?.batches;
    let count = 0;
    for (let next = batches?.get(key(lane, position + 1)); next && count < maxEntries; ) {
      found.push(next);
      count += next.entries.length;
      next = batches?.get(key(lane, next.position + 1));
    }
    return found;
  }

  /** Forgets what is applied: everything of a lane up to a position. */
  forget(organizationId: string, applied: LanePositions): void {
    const waiting = this.#waiting.get(organizationId);
    for (const [name, batch] of waiting?.batches ?? []) {
      const lane = name[0] as Lane;
      if (!waiting || batch.position > (applied[lane] ?? 0)) continue;
      waiting.batches.delete(name);
      waiting.entries -= batch.entries.length;
    }
    if (waiting?.batches.size === 0) this.#waiting.delete(organizationId);
  }
}

function key(lane: Lane, position: number): string {
  return `${lane}${position}`;
}
