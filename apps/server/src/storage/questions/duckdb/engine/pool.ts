/** Who uses an item. */
export interface Claim {
  /** Items are shared among owners. */
  readonly owner: string;
  /** May use the items that are kept for the pipeline. */
  readonly isOfPipeline?: boolean | undefined;
  /** Gives up the place in the queue. */
  readonly signal?: AbortSignal | undefined;
}

export interface PoolOptions {
  readonly size: number;
  /** Items that only the pipeline gets. */
  readonly forPipeline?: number;
  /** Items that nobody gets who has one already. Whoever comes next need not wait for the slow work of others. */
  readonly forNewcomers?: number;
}

/** The items of an owner, and the functions that go on when the owner gets one more. */
interface Line {
  inUse: number;
  readonly waiting: Waiting[];
}

interface Waiting {
  readonly isOfPipeline: boolean;
  readonly proceed: () => void;
}

/**
 * Shares some items, each of which has one user at a time. Items are created when they are first needed. The next item goes
 * to the owner who has the fewest; those who have equally many take turns.
 */
export class Pool<Item> {
  readonly #options: Required<PoolOptions>;
  readonly #make: () => Promise<Item>;
  readonly #free: Item[] = [];
  /** By owner, whose turn comes first. */
  readonly #lines = new Map<string, Line>();
  #inUse = 0;
  #onIdle: () => void = () => {};

  constructor(options: PoolOptions, make: () => Promise<Item>) {
    this.#options = { forPipeline: 0, forNewcomers: 0, ...options };
    this.#make = make;
  }

  async use<Result>(claim: Claim, work: (item: Item) => Promise<Result>): Promise<Result> {
    await this.#proceed(claim);
    let item: Item | undefined;
    try {
      item = this.#free.pop() ?? (await this.#make());
      return await work(item);
    } finally {
      if (item !== undefined) this.#free.push(item);
      this.#leave(claim.owner);
    }
  }

  /** Waits until no item is in use, and returns all of them, so that the caller can close them. */
  async close(): Promise<Item[]> {
    while (this.#inUse > 0) await new Promise<void>((resolve) => (this.#onIdle = resolve));
    return this.#free.splice(0);
  }

  #proceed({ owner, isOfPipeline = false, signal }: Claim): Promise<void> {
    signal?.throwIfAborted();
    const line = this.#lines.get(owner) ?? { inUse: 0, waiting: [] };
    this.#lines.set(owner, line);
    return new Promise<void>((resolve, reject) => {
      const waiting: Waiting = {
        isOfPipeline,
        proceed: () => {
          signal?.removeEventListener("abort", giveUp);
          resolve();
        },
      };
      const giveUp = () => {
        line.waiting.splice(line.waiting.indexOf(waiting), 1);
        this.#forget(owner, line);
        reject(signal?.reason);
      };
      signal?.addEventListener("abort", giveUp, { once: true });
      line.waiting.push(waiting);
      this.#giveOut();
    });
  }

  #leave(owner: string): void {
    const line = this.#lines.get(owner)!;
    this.#inUse -= 1;
    line.inUse -= 1;
    this.#forget(owner, line);
    this.#giveOut();
    if (this.#inUse === 0) this.#onIdle();
  }

  #forget(owner: string, line: Line): void {
    if (line.inUse === 0 && line.waiting.length === 0) this.#lines.delete(owner);
  }

  #giveOut(): void {
    for (let next = this.#next(); next; next = this.#next()) {
      const [owner, line] = next;
      // The next turn of this owner comes after those of all others.
      this.#lines.delete(owner);
      this.#lines.set(owner, line);
      line.inUse += 1;
      this.#inUse += 1;
      line.waiting.shift()?.proceed();
    }
  }

  #next(): [string, Line] | undefined {
    let next: [string, Line] | undefined;
    for (const [owner, line] of this.#lines) {
      if (this.#mayHaveOneMore(line) && line.inUse < (next?.[1].inUse ?? Number.POSITIVE_INFINITY))
        next = [owner, line];
    }
    return next;
  }

  #mayHaveOneMore({ inUse, waiting: [first] }: Line): boolean {
    if (first === undefined) return false;
    const { size, forPipeline, forNewcomers } = this.#options;
    const kept = (first.isOfPipeline ? 0 : forPipeline) + (inUse > 0 ? forNewcomers : 0);
    return size - this.#inUse > kept;
  }
}
