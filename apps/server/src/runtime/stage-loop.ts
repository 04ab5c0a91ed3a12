import { setTimeout as sleep } from "node:timers/promises";

export interface StageLoopOptions {
  /** Does one piece of work for an organization; false when nothing was waiting. */
  step(organizationId: string): Promise<boolean>;
  onError(error: unknown, organizationId: string): void;
}

const FIRST_RETRY_MS = 100;
const LAST_RETRY_MS = 10_000;

/**
 * Runs a stage of the pipeline: per organization one piece of work after the other, organizations beside each other.
 * It sleeps until woken, and tries again with growing pauses when a piece fails.
 */
export class StageLoop {
  readonly #options: StageLoopOptions;
  readonly #running = new Map<string, Promise<void>>();
  readonly #woken = new Set<string>();
  readonly #stopping = new AbortController();
  #isStarted = false;

  constructor(options: StageLoopOptions) {
    this.#options = options;
  }

  start(): void {
    this.#isStarted = true;
  }

  /** Says that work may be waiting. Before the start, and after the stop, it is left for others. */
  wake(organizationId: string): void {
    if (!this.#isStarted || this.#stopping.signal.aborted) return;
    this.#woken.add(organizationId);
    if (this.#running.has(organizationId)) return;
    const run = this.#run(organizationId).finally(() => this.#running.delete(organizationId));
    this.#running.set(organizationId, run);
  }

  /** Lets the piece in hand finish and starts no other. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.all(this.#running.values());
  }

  async #run(organizationId: string): Promise<void> {
    const { signal } = this.#stopping;
    let retryMs = FIRST_RETRY_MS;
    while (this.#woken.has(organizationId) && !signal.aborted) {
      this.#woken.delete(organizationId);
      try {
        if (await this.#options.step(organizationId)) this.#woken.add(organizationId);
        retryMs = FIRST_RETRY_MS;
      } catch (error) {
        this.#options.onError(error, organizationId);
        this.#woken.add(organizationId);
        await sleep(retryMs, undefined, { signal }).catch(() => undefined);
        retryMs = Math.min(retryMs * 2, LAST_RETRY_MS);
      }
    }
  }
}
