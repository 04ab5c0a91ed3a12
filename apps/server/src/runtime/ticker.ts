import { setTimeout as sleep } from "node:timers/promises";

export interface TickerOptions {
  /** Does a piece of work; returns how long to sleep after it, unless woken. */
  tick(): Promise<number>;
  onError(error: unknown): void;
}

const AFTER_ERROR_MS = 5_000;

/** Does something again and again, one time after the other: when woken, or when the pause it asked for is over. */
export class Ticker {
  readonly #options: TickerOptions;
  readonly #stopping = new AbortController();
  #nap = new AbortController();
  #loop: Promise<void> | undefined;

  constructor(options: TickerOptions) {
    this.#options = options;
  }

  start(): void {
    this.#loop = this.#run();
  }

  wake(): void {
    this.#nap.abort();
  }

  /** Lets the piece in hand finish. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#loop;
  }

  async #run(): Promise<void> {
    const { tick, onError } = this.#options;
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      // Made before the work, so that a call that comes during it is not slept through.
      this.#nap = new AbortController();
      const pauseMs = await tick().catch((error: unknown) => {
        onError(error);
        return AFTER_ERROR_MS;
      });
      await sleep(pauseMs, undefined, { signal: AbortSignal.any([signal, this.#nap.signal]) }).catch(() => undefined);
    }
  }
}
