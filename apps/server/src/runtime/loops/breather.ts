import { setImmediate as nextTurn } from "node:timers/promises";

// Far below the 50 ms that a request may block the event loop, because the last piece of work before a pause and garbage
// collection take time too.
const SLICE_MS = 8;
// While another thread waits for an answer of this thread. Computations take turns, and an answer needs several turns.
const SHORT_SLICE_MS = 2;

let waiting = 0;

/** Makes the computations of this thread pause more often, until the returned function is called. */
export function breatheFaster(): () => void {
  waiting += 1;
  return () => {
    waiting -= 1;
  };
}

/**
 * Lets other work run during a long computation. The computation asks after each small piece whether it has run long
 * enough.
 *
 * @example
 * const breather = new Breather();
 * for (const entry of entries) {
 *   if (breather.isDue) await breather.pause();
 *   check(entry);
 * }
 */
export class Breather {
  #since = performance.now();

  get isDue(): boolean {
    return performance.now() - this.#since > (waiting > 0 ? SHORT_SLICE_MS : SLICE_MS);
  }

  async pause(): Promise<void> {
    await nextTurn();
    this.#since = performance.now();
  }
}
