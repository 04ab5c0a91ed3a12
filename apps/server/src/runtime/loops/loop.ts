export interface LoopOptions {
  /**
   * Does one piece of work. Returns how long to wait before the next one: 0 to go on at once, undefined to wait until the
   * loop is woken.
   */
  step(signal: AbortSignal): Promise<number | undefined>;
  /** Is called with the error of a step that failed. The loop then tries again, with a longer pause after each failure. */
  onError(error: unknown): void;
  /** The pause after a first failure. It doubles with each failure in a row, up to `lastRetryMs`. */
  firstRetryMs?: number;
  lastRetryMs?: number;
}

// A step that fails again and again is not repeated more often than this, however often the loop is woken.
const SHORTEST_RETRY_MS = 1_000;
// A timer of Node holds 31 bits. A loop that wants to wait longer looks once in between.
const LONGEST_WAIT_MS = 2 ** 31 - 1;

/**
 * Repeats a piece of work until it is stopped: one step after the other, with the pauses that the steps ask for.
 * A call of `wake` ends a pause; one that comes while a step runs makes the next step start at once.
 */
export class Loop {
  readonly #options: LoopOptions;
  readonly #stopping = new AbortController();
  #isWoken = false;
  #isFinishing = false;
  #wakeUp: (() => void) | undefined;
  #ended: Promise<void> | undefined;

  constructor(options: LoopOptions) {
    this.#options = options;
  }

  /** Starts the first step, after a pause if one is given. */
  start({ afterMs = 0 }: { afterMs?: number } = {}): void {
    this.#ended ??= this.#run(afterMs);
  }

  wake(): void {
    this.#isWoken = true;
    this.#wakeUp?.();
  }

  /** Whether a wake came that no step has followed yet. */
  get isWoken(): boolean {
    return this.#isWoken;
  }

  /** Lets the present step finish and starts no other. The step can end early by watching its signal. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#ended;
  }

  /** Like `stop`, but nothing that watches the signal of a step is ended early. */
  async finish(): Promise<void> {
    this.#isFinishing = true;
    this.#wakeUp?.();
    await this.#ended;
  }

  async #run(afterMs: number): Promise<void> {
    const { step, onError, firstRetryMs = 100, lastRetryMs = 10_000 } = this.#options;
    const { signal } = this.#stopping;
    let failures = 0;
    if (afterMs > 0) await this.#pause(afterMs);
    while (!signal.aborted && !this.#isFinishing) {
      this.#isWoken = false;
      try {
        const pauseMs = await step(signal);
        failures = 0;
        if (pauseMs !== 0) await this.#pause(pauseMs);
      } catch (error) {
        // A step that the stop cut short has not failed.
        if (signal.aborted && isAbort(error, signal)) return;
        onError(error);
        const retryMs = Math.min(firstRetryMs * 2 ** failures, lastRetryMs);
        failures += 1;
        await this.#sleep(Math.min(retryMs, SHORTEST_RETRY_MS));
        if (retryMs > SHORTEST_RETRY_MS) await this.#pause(retryMs - SHORTEST_RETRY_MS);
      }
    }
  }

  /** Waits until the time is over, or a wake or the stop comes. */
  async #pause(ms: number | undefined): Promise<void> {
    if (!this.#isWoken) await this.#sleep(ms, { isWakeable: true });
  }

  /** Waits until the time is over or the stop comes, and if it is wakeable, until a wake comes. */
  async #sleep(ms: number | undefined, { isWakeable } = { isWakeable: false }): Promise<void> {
    const { signal } = this.#stopping;
    if (signal.aborted || this.#isFinishing) return;
    await new Promise<void>((resolve) => {
      const timer = ms === undefined ? undefined : setTimeout(() => finish(), Math.min(ms, LONGEST_WAIT_MS));
      const finish = () => {
        clearTimeout(timer);
        signal.removeEventListener("abort", finish);
        resolve();
      };
      signal.addEventListener("abort", finish);
      if (isWakeable) this.#wakeUp = finish;
    });
    this.#wakeUp = undefined;
  }
}

function isAbort(error: unknown, signal: AbortSignal): boolean {
  if (error === signal.reason) return true;
  return error instanceof Error && (error.name === "AbortError" || error.cause === signal.reason);
}
