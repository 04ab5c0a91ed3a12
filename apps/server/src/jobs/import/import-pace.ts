import { setTimeout as sleep } from "node:timers/promises";

/** Lets an import rest, so that it works only for a share of the time. */
export class ImportPace {
  readonly #share: number;
  #since = performance.now();

  /** `share` is more than 0 and at most 1. With 1 the import never rests. */
  constructor(share: number) {
    this.#share = share;
  }

  get isLimited(): boolean {
    return this.#share < 1;
  }

  /** Rests in proportion to the time since the last rest. Must be called when no work of the import is in progress. */
  async rest(signal: AbortSignal): Promise<void> {
    await sleep(restMs(performance.now() - this.#since, this.#share), undefined, { signal });
    this.#since = performance.now();
  }
}

export function restMs(workedMs: number, share: number): number {
  return workedMs * (1 / share - 1);
}
