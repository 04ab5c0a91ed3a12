import type { Metrics } from "../../runtime/metrics.js";
import { isDataError } from "../../storage/postgres/database.js";
import type { Handover } from "../project/handover.js";
import { type ApplyNextOptions, applyNext } from "./apply.js";

// Measured on the reference machine: beyond this a micro-batch gains little and others wait longer for it.
export const MAX_ENTRIES = 2_000;
const SHRINK = 8;

/**
 * Applies micro-batches. One that its data breaks is tried again smaller and smaller until the entry to blame is
 * alone and is put aside; the rest goes on.
 */
export class Applier {
  readonly #options: ApplyNextOptions;
  readonly #metrics: Metrics;
  readonly #handover: Handover;
  readonly #maxEntries = new Map<string, number>();

  constructor(options: ApplyNextOptions, metrics: Metrics, handover: Handover) {
    this.#options = options;
    this.#metrics = metrics;
    this.#handover = handover;
  }

  /** Applies one micro-batch; false when nothing waits. */
  async step(organizationId: string): Promise<boolean> {
    const maxEntries = this.#maxEntries.get(organizationId) ?? MAX_ENTRIES;
    await this.#handover.room(organizationId);
    try {
      const applied = await applyNext(this.#options, organizationId, maxEntries);
      if (maxEntries * SHRINK >= MAX_ENTRIES) this.#maxEntries.delete(organizationId);
      else this.#maxEntries.set(organizationId, maxEntries * SHRINK);
      if (!applied) return false;
      this.#handover.put(organizationId, applied.batch);
      this.#metrics.entries.inc({ outcome: "applied" }, applied.entries);
      this.#metrics.entries.inc({ outcome: "rejected" }, applied.rejected);
      return true;
    } catch (error) {
      if (!isDataError(error)) throw error;
      this.#maxEntries.set(organizationId, Math.ceil(maxEntries / SHRINK));
      return true;
    }
  }
}
