import { EventEmitter, once } from "node:events";
import { Refusal } from "@muster/protocol";
import { hasReached, type LanePositions } from "../domain/entries/lanes.js";
import { readProjectCursor } from "../storage/postgres/changes/changes.js";
import type { Database } from "../storage/postgres/database.js";
import { isBehind } from "../storage/questions/projection.js";
import type { Questions } from "../storage/questions/questions.js";

export interface SearchablePositionsOptions {
  database: Database;
  questions: Pick<Questions, "progress">;
  /** The longest time that a reader waits. */
  waitLimitMs: number;
}

const LOOK_AGAIN_MS = 250;

/** Lets readers wait until the records at a position are searchable. */
export class SearchablePositions {
  readonly #options: SearchablePositionsOptions;
  readonly #projected = new EventEmitter().setMaxListeners(0);

  constructor(options: SearchablePositionsOptions) {
    this.#options = options;
  }

  /** Makes waiting readers look again, because this process has projected something. */
  announce(organizationId: string): void {
    this.#projected.emit(organizationId);
  }

  async waitFor(organizationId: string, wanted: LanePositions, abort?: AbortSignal): Promise<void> {
    const { waitLimitMs } = this.#options;
    const deadline = performance.now() + waitLimitMs;
    for (;;) {
      abort?.throwIfAborted();
      // Listening begins before the look-up, so that a projection in between is not missed.
      const looked = new AbortController();
      // Another process may do the work, and then nothing is announced here.
      const signal = AbortSignal.any([looked.signal, AbortSignal.timeout(LOOK_AGAIN_MS)]);
      const projected = once(this.#projected, organizationId, { signal }).catch(() => undefined);
      if (await this.#isSearchable(organizationId, wanted)) {
        looked.abort();
        return;
      }
      if (performance.now() > deadline) {
        throw new Refusal("wait_timeout", `The position is not searchable after ${waitLimitMs / 1_000} seconds.`);
      }
      await projected;
    }
  }

  /** While the question engine lacks changes that were projected before, no position is searchable. */
  async #isSearchable(organizationId: string, wanted: LanePositions): Promise<boolean> {
    const { database, questions } = this.#options;
    const cursor = await readProjectCursor(database, organizationId);
    return hasReached(cursor.positions, wanted) && !isBehind(await questions.progress(organizationId), cursor);
  }
}
