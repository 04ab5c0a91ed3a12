/** The part of the time of a call in which requests are begun. The package gives up a request after ten seconds. */
const BEGIN_SHARE = 0.6;
/** The part after which the thread answers with what is done. The rest is for the answer. */
const ANSWER_SHARE = 0.9;

/**
 * The time of one call. A slow service must not make a call last too long: its thread would be ended, with the work of others.
 */
export class CallTime {
  readonly #startedAt = performance.now();
  readonly #callMs: number;

  constructor(callMs: number) {
    this.#callMs = callMs;
  }

  /** Whether there is time for another request. */
  get mayBegin(): boolean {
    return performance.now() - this.#startedAt < this.#callMs * BEGIN_SHARE;
  }

  /** Waits for work, but no longer than until the thread has to answer. */
  async waitFor(work: Promise<unknown>): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const leftMs = this.#startedAt + this.#callMs * ANSWER_SHARE - performance.now();
    const isOver = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, Math.max(0, leftMs));
    });
    try {
      await Promise.race([work, isOver]);
    } finally {
      clearTimeout(timer);
    }
  }
}
