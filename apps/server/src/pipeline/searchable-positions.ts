import { Refusal } from "@muster/protocol";
import { hasReached, LANES, type LanePositions } from "../domain/entries/lanes.js";
import type { IngestionLog } from "../storage/ingest-log/ingestion-log.js";
import { readProjectCursor } from "../storage/postgres/changes/changes.js";
import type { Database } from "../storage/postgres/database.js";
import { isBehind } from "../storage/questions/projection.js";
import type { Questions } from "../storage/questions/questions.js";

export interface SearchablePositionsOptions {
  database: Database;
  log: Pick<IngestionLog, "heads" | "lacks">;
  questions: Pick<Questions, "progress">;
  /** The longest time that a reader waits. */
  waitLimitMs: number;
}

const LOST = "The ingestion log does not have the position to wait for: it was lost with a stream of NATS.";
// An announcement of another process may be lost.
const LOOK_AGAIN_MS = 1_000;

interface Waiter {
  wanted: LanePositions;
  /** Whether something was written at the position. */
  isKnownPosition: boolean;
  finish(error?: unknown): void;
}

/** The waiting readers of one organization. However many they are, one query serves all of them. */
class Watch {
  readonly waiters = new Set<Waiter>();
  #isWoken = false;
  #endPause: (() => void) | undefined;

  /** Makes the watch look again. */
  wake(): void {
    this.#isWoken = true;
    this.#endPause?.();
  }

  /** Waits for a wake, including one since the last pause, or until the next look is due. */
  async pause(): Promise<void> {
    if (!this.#isWoken) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, LOOK_AGAIN_MS);
        this.#endPause = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      this.#endPause = undefined;
    }
    this.#isWoken = false;
  }
}

/** Lets readers wait until the records at a position are searchable. */
export class SearchablePositions {
  readonly #options: SearchablePositionsOptions;
  readonly #watches = new Map<string, Watch>();

  constructor(options: SearchablePositionsOptions) {
    this.#options = options;
  }

  /** Makes waiting readers look again, because something of these organizations was projected; undefined: of any. */
  announce(organizationIds: Iterable<string> = this.#watches.keys()): void {
    for (const organizationId of organizationIds) this.#watches.get(organizationId)?.wake();
  }

  /** Waits until a position is searchable. One where nothing was written yet is refused at once. */
  async waitFor(organizationId: string, wanted: LanePositions, abort?: AbortSignal): Promise<void> {
    const { waitLimitMs } = this.#options;
    abort?.throwIfAborted();
    const running = this.#watches.get(organizationId);
    const watch = running ?? new Watch();
    const searchable = new Promise<void>((resolve, reject) => {
      const tooLate = `The position is not searchable after ${waitLimitMs / 1_000} seconds.`;
      const timer = setTimeout(() => waiter.finish(new Refusal("wait_timeout", tooLate)), waitLimitMs);
      const onAbort = () => waiter.finish(abort?.reason);
      const waiter: Waiter = {
        wanted,
        isKnownPosition: false,
        finish(error) {
          clearTimeout(timer);
          abort?.removeEventListener("abort", onAbort);
          watch.waiters.delete(waiter);
          if (error === undefined) resolve();
          else reject(error);
        },
      };
      abort?.addEventListener("abort", onAbort);
      watch.waiters.add(waiter);
    });
    if (running) running.wake();
    else void this.#run(organizationId, watch);
    await searchable;
  }

  /** Looks for all waiting readers of an organization until none is left. */
  async #run(organizationId: string, watch: Watch): Promise<void> {
    this.#watches.set(organizationId, watch);
    while (watch.waiters.size > 0) {
      const waiters = [...watch.waiters];
      try {
        await this.#look(organizationId, waiters);
      } catch (error) {
        for (const { finish } of waiters) finish(error);
      }
      if (watch.waiters.size > 0) await watch.pause();
    }
    this.#watches.delete(organizationId);
  }

  async #look(organizationId: string, waiters: readonly Waiter[]): Promise<void> {
    const { database, log, questions } = this.#options;
    const cursor = await readProjectCursor(database, organizationId);
    const reached = new Set(waiters.filter(({ wanted }) => hasReached(cursor.positions, wanted)));
    // While the question engine lacks changes that were projected before, no position is searchable.
    const isSearchable = reached.size > 0 && !isBehind(await questions.progress(organizationId), cursor);
    if (isSearchable) {
      for (const { wanted, finish } of reached) {
        const isLost = await log.lacks(organizationId, wanted);
        finish(isLost ? new Refusal("invalid_parameter", LOST) : undefined);
      }
    }
    const unknown = waiters.filter((waiter) => !waiter.isKnownPosition && !reached.has(waiter));
    if (unknown.length === 0) return;
    const heads = await log.heads(organizationId, furthestOf(unknown));
    for (const waiter of unknown) {
      waiter.isKnownPosition = hasReached(heads, waiter.wanted);
      if (!waiter.isKnownPosition) {
        waiter.finish(new Refusal("invalid_parameter", "Nothing was written at the position to wait for."));
      }
    }
  }
}

/** In each lane, the last position that one of the readers waits for. */
function furthestOf(waiters: readonly Waiter[]): LanePositions {
  const last = LANES.map((lane) => [lane, Math.max(...waiters.map(({ wanted }) => wanted[lane] ?? 0))]);
  return Object.fromEntries(last) as LanePositions;
}
