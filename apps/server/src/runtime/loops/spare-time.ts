import { setTimeout as sleep } from "node:timers/promises";
import { Refusal } from "@muster/protocol";

// A record of somebody else needs several turns of the event loop until it is searchable, and waits for a slice at each.
const SLICE_MS = 4;
const PAUSE_FACTOR = 2;

/**
 * Does work for everybody who asks in at most a third of the time of the thread: one piece of work at a time, in short
 * slices, each followed by a pause of twice its length.
 */
export class SpareTime {
  readonly #maxWaiting: number;
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;
  #since = performance.now();

  /** `maxWaiting`: when so many pieces of work wait, more are refused. */
  constructor(maxWaiting: number) {
    this.#maxWaiting = maxWaiting;
  }

  /** Does a piece of work when its turn has come. Long work pauses when a pause is due. */
  async run<Result>(work: () => Result | Promise<Result>): Promise<Result> {
    if (this.#waiting >= this.#maxWaiting) {
      throw new Refusal("unavailable", "Too many people ask for this at the moment.", { retryAfter: 1 });
    }
    this.#waiting += 1;
    const turn = this.#last.then(async () => {
      this.#since = performance.now();
      return work();
    });
    this.#last = turn.then(
      () => this.pause(),
      () => this.pause(),
    );
    try {
      return await turn;
    } finally {
      this.#waiting -= 1;
    }
  }

  /** Whether the work that runs has run long enough. */
  get isPauseDue(): boolean {
    return performance.now() - this.#since > SLICE_MS;
  }

  /** Lets others have the thread for twice as long as the work has had it. */
  async pause(): Promise<void> {
    await sleep(PAUSE_FACTOR * (performance.now() - this.#since));
    this.#since = performance.now();
  }
}
