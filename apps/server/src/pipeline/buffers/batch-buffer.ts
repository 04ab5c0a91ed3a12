import type { Lane, LanePositions } from "../../domain/entries/lanes.js";
import type { BatchLimits, LoggedBatch } from "../../storage/ingest-log/log-batch.js";

// The limit of one organization, about ten megabytes of compressed batches. Batches beyond the limit are read back from the
// log, which takes more time.
const MAX_ENTRIES = 100_000;
// A small batch takes as much memory as one of so many entries.
const LEAST_ENTRIES = 10;
/** The limit of all organizations together. */
const MAX_BYTES = 64 * 1024 * 1024;

/** A row of the ingestion log, and its lane. */
export interface BufferedPart {
  lane: Lane;
  batch: LoggedBatch;
}

interface BufferedBatches {
  batches: Map<string, LoggedBatch>;
  /** The sum of `entriesOf`. */
  entries: number;
}

/**
 * Holds batches that this process has just accepted, so that its applier need not read them back from the log. They are
 * compressed as they are in the log, so that the applier gets the same from both. It is only a shortcut: every batch in it is
 * in the log too, and batches that do not fit are read from there.
 */
export class BatchBuffer {
  /** By organization. The one that got a batch last comes last. */
  readonly #buffered = new Map<string, BufferedBatches>();
  #bytes = 0;
  #isOpen = false;

  /** Begins to keep batches. A process without an applier never opens the buffer, because nothing would empty it. */
  open(): void {
    this.#isOpen = true;
  }

  put(organizationId: string, parts: readonly BufferedPart[]): void {
    if (!this.#isOpen) return;
    const buffered = this.#buffered.get(organizationId) ?? { batches: new Map(), entries: 0 };
    this.#buffered.delete(organizationId);
    this.#buffered.set(organizationId, buffered);
    for (const { lane, batch } of parts) {
      if (buffered.entries + entriesOf(batch) > MAX_ENTRIES) return;
      if (!this.#makeRoom(batch.bytes, organizationId)) return;
      buffered.batches.set(key(lane, batch.position), batch);
      buffered.entries += entriesOf(batch);
      this.#bytes += batch.bytes;
    }
  }

  /**
   * The batches of a lane that follow a position without a gap, until they hold `maxEntries` or `maxBytes`. They stay in
   * the buffer.
   */
  after(organizationId: string, lane: Lane, position: number, { maxEntries, maxBytes }: BatchLimits): LoggedBatch[] {
    const found: LoggedBatch[] = [];
    const batches = this.#buffered.get(organizationId)?.batches;
    let count = 0;
    let bytes = 0;
    for (let next = batches?.get(key(lane, position + 1)); next && count < maxEntries && bytes < maxBytes; ) {
      found.push(next);
      count += next.entryCount;
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
      buffered.entries -= entriesOf(batch);
      this.#bytes -= batch.bytes;
    }
    if (buffered.batches.size === 0) this.#buffered.delete(organizationId);
  }

  /**
   * Drops the batches of other organizations, of those first that got none for the longest time: another process may
   * have applied them. Returns false when that is not enough.
   */
  #makeRoom(bytes: number, organizationId: string): boolean {
    for (const [other, { batches }] of this.#buffered) {
      if (this.#bytes + bytes <= MAX_BYTES) return true;
      if (other === organizationId) return false;
      for (const dropped of batches.values()) this.#bytes -= dropped.bytes;
      this.#buffered.delete(other);
    }
    return this.#bytes + bytes <= MAX_BYTES;
  }
}

function entriesOf({ entryCount }: LoggedBatch): number {
  return Math.max(entryCount, LEAST_ENTRIES);
}

function key(lane: Lane, position: number): string {
  return `${lane}${position}`;
}
