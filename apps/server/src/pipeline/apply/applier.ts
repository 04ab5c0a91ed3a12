import type { Metrics } from "../../runtime/metrics.js";
import { isDataError } from "../../storage/postgres/database.js";
import type { ChangeBuffer } from "../project/change-buffer.js";
import { type ApplyOptions, applyNext } from "./apply.js";

// Measured on the reference machine: beyond this a micro-batch gains little and others wait longer for it.
export const MAX_ENTRIES = 2_000;
const SHRINK = 8;

export interface ApplierOptions {
  apply: ApplyOptions;
  metrics: Metrics;
  /** Takes each change to the project stage. */
  changeBuffer: ChangeBuffer;
}

/**
 * The apply stage. A micro-batch that fails because of its data is tried again, smaller each time, until the entry that
 * breaks it is alone and is listed as rejected. The rest goes on.
 */
export class Applier {
  readonly #options: ApplierOptions;
  readonly #maxEntries = new Map<string, number>();

  constructor(options: ApplierOptions) {
    this.#options = options;
  }

  /** Applies one micro-batch; false when nothing waits. */
  async step(organizationId: string): Promise<boolean> {
    const { apply, metrics, changeBuffer } = this.#options;
    const maxEntries = this.#maxEntries.get(organizationId) ?? MAX_ENTRIES;
    await changeBuffer.waitForRoom(organizationId);
    try {
      const applied = await applyNext(apply, organizationId, maxEntries);
      this.#grow(organizationId, maxEntries);
      if (!applied) return false;
      changeBuffer.put(organizationId, applied.change);
      metrics.entries.inc({ outcome: "applied" }, applied.entries);
      metrics.entries.inc({ outcome: "rejected" }, applied.rejected);
      return true;
    } catch (error) {
      if (!isDataError(error)) throw error;
      this.#maxEntries.set(organizationId, Math.ceil(maxEntries / SHRINK));
      return true;
    }
  }

  #grow(organizationId: string, maxEntries: number): void {
    if (maxEntries * SHRINK >= MAX_ENTRIES) this.#maxEntries.delete(organizationId);
    else this.#maxEntries.set(organizationId, maxEntries * SHRINK);
  }
}
