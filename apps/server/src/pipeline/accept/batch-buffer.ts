import type { Lane, LanePositions } from "../../domain/entries/lanes.js";
import type { LoggedBatch } from "../../storage/postgres/ingest/ingest-log.js";

// When more than this waits, apply does not keep up. It then reads from the log.
const MAX_ENTRIES = 10_000;
const MAX_BYTES = 64 * 1024 * 1024;

interface BufferedBatches {
  batches: Map<string, LoggedBatch>;
  entries: number;
  bytes: number;
}

/**
 * Holds batches that this process has just accepted, so that its applier need not read them back from the log. It is
 * only a shortcut: every batch in it is in the log too, and batches that do not fit are read from there.
 */
export class BatchBuffer {
  readonly #buffered = new Map<string, BufferedBatches>();
  #isOpen = false;

  /** Begins to keep batches. A process without an applier never opens the buffer, because nothing would empty it. */
  open(): void {
    this.#isOpen = true;
  }

  put(organizationId: string, parts: readonly { lane: Lane; batch: LoggedBatch }[]): void {
    if (!this.#isOpen) return;
    const buffered = this.#buffered.get(organizationId) ?? { batches: new Map(), entries: 0, bytes: 0 };
    this.#buffered.set(organizationId, buffered);
    for (const { lane, batch } of parts) {
      if (buffered.entries + batch.entries.length > MAX_ENTRIES || buffered.bytes + batch.bytes > MAX_BYTES) return;
      buffered.batches.set(key(lane, batch.position), batch);
      buffered.entries += batch.entries.length;
      buffered.bytes += batch.bytes;
    }
  }

  /**
   * The batches of a lane that follow a position without a gap, until they hold `maxEntries` or `maxBytes`. They stay in
   * the buffer.
   */
  after(
    organizationId: string,
    lane: Lane,
    position: number,
    { maxEntries, maxBytes }: { maxEntries: number; maxBytes: number },
  ): LoggedBatch[] {
    const found: LoggedBatch[] = [];
    const batches = this.#buffered.get(organizationId)?.batches;
    let count = 0;
    let bytes = 0;
    for (let next = batches?.get(key(lane, position + 1)); next && count < maxEntries && bytes < maxBytes; ) {
      found.push(next);
      count += next.entries.length;
      bytes += next.bytes;
      next = batches?.get(key(lane, next.position + 1));
    }
    return found;
  }

  /** Drops the batches that are applied: in each lane, those up to the given position. */
  forget(organizationId: string, applied: LanePositions): void {
    const buffered = this.#buffered.get(organizationId);
    if (!buffered) return;
    for (const [name, batch] of buffered.batches) {
      // A key begins with its lane.
      const lane = name[0] as Lane;
      if (batch.position > (applied[lane] ?? 0)) continue;
      buffered.batches.delete(name);
      buffered.entries -= batch.entries.length;
      buffered.bytes -= batch.bytes;
    }
    if (buffered.batches.size === 0) this.#buffered.delete(organizationId);
  }
}

function key(lane: Lane, position: number): string {
  return `${lane}${position}`;
}
