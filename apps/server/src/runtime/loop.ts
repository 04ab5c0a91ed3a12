export interface LoopOptions {
  /**
   * Does one piece of work. Returns how long to wait before the next one: 0 to go on at once, undefined to wait until the
   * loop is woken.
   */
  step(signal: AbortSignal): Promise<number | undefined>;
  /**
   * Called when a step fails. The loop tries again after a pause that doubles with each failure in a row. `wake` does
   * not end this pause: otherwise a busy server would repeat a failing step without any pause.
   */
  onError(error: unknown): void;
}

const FIRST_RETRY_MS = 100;
const LAST_RETRY_MS = 10_000;
// A Node timer holds 31 bits. A loop that must wait longer runs one extra step in between.
const LONGEST_WAIT_MS = 2 ** 31 - 1;

/**
 * Repeats a piece of work until it is stopped: one step after the other, with the pauses that the steps ask for.
 * `wake` ends a pause. When it is called during a step, the next step starts at once.
 */
export class Loop {
  readonly #options: LoopOptions;
  readonly #stopping = new AbortController();
  #isWoken = false;
  #isRetrying = false;
  #endPause: (() => void) | undefined;
  #ended: Promise<void> | undefined;

  constructor(options: LoopOptions) {
    this.#options = options;
  }

  start(): void {
    this.#ended ??= this.#run();
  }

  wake(): void {
    this.#isWoken = true;
    if (!this.#isRetrying) this.#endPause?.();
  }

  /** Waits for the present step and starts no other. The step's signal is aborted, so that it can end early. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#endPause?.();
    await this.#ended;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    let failures = 0;
    while (!signal.aborted) {
      this.#isWoken = false;
      try {
        const pauseMs = await this.#options.step(signal);
        failures = 0;
        if (pauseMs !== 0 && !this.#isWoken) await this.#pause(pauseMs);
      } catch (error) {
        // A step that the stop aborted has not failed.
        if (signal.aborted) return;
        this.#options.onError(error);
        const retryMs = Math.min(FIRST_RETRY_MS * 2 ** failures, LAST_RETRY_MS);
        failures += 1;
        this.#isRetrying = true;
        await this.#pause(retryMs);
        this.#isRetrying = false;
      }
    }
  }

  async #pause(ms: number | undefined): Promise<void> {
    if (this.#stopping.signal.aborted) return;
    await new Promise<void>((resolve) => {
      const timer = ms === undefined ? undefined : setTimeout(resolve, Math.min(ms, LONGEST_WAIT_MS));
      this.#endPause = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#endPause = undefined;
  }
}
