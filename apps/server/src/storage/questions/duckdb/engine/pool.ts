/** Who uses an item. */
export interface Claim {
  /** Items are shared among owners. */
  readonly owner: string;
  /** May use the items that are kept for the pipeline. The pipeline of an owner has a share of its own, beside its clients. */
  readonly isOfPipeline?: boolean | undefined;
  /** Gives up the place in the queue. */
  readonly signal?: AbortSignal | undefined;
}

export interface PoolOptions {
  readonly size: number;
  /** Items that only the pipeline gets. */
  readonly forPipeline?: number;
  /** Of so many owners, clients who have no item get the next one, however much the pipeline asks. */
  readonly forClients?: number;
  /** Items that nobody gets who has one already. Whoever comes next need not wait for the slow work of others. */
  readonly forNewcomers?: number;
}

/** The items of the clients of an owner, or of its pipeline, and the functions that go on when these get one more. */
interface Line {
  readonly isOfPipeline: boolean;
  inUse: number;
  readonly waiting: (() => void)[];
}

/**
 * Shares some items, each of which has one user at a time. Items are created when they are first needed. The next item goes
 * to the owner who has the fewest; those who have equally many take turns.
 */
export class Pool<Item> {
  readonly #options: Required<PoolOptions>;
  readonly #make: () => Promise<Item>;
  readonly #free: Item[] = [];
  /** By name, whose turn comes first. */
  readonly #lines = new Map<string, Line>();
  #inUse = 0;
  #onIdle: () => void = () => {};

  constructor(options: PoolOptions, make: () => Promise<Item>) {
    this.#options = { forPipeline: 0, forClients: 0, forNewcomers: 0, ...options };
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
      this.#leave(nameOf(claim));
    }
  }

  /** Waits until no item is in use, and returns all of them, so that the caller can close them. */
  async close(): Promise<Item[]> {
    while (this.#inUse > 0) await new Promise<void>((resolve) => (this.#onIdle = resolve));
    return this.#free.splice(0);
  }

  #proceed(claim: Claim): Promise<void> {
    const { isOfPipeline = false, signal } = claim;
    signal?.throwIfAborted();
    const name = nameOf(claim);
    const line = this.#lines.get(name) ?? { isOfPipeline, inUse: 0, waiting: [] };
    this.#lines.set(name, line);
    return new Promise<void>((resolve, reject) => {
      const proceed = () => {
        signal?.removeEventListener("abort", giveUp);
        resolve();
      };
      const giveUp = () => {
        line.waiting.splice(line.waiting.indexOf(proceed), 1);
        this.#forget(name, line);
        reject(signal?.reason);
      };
      signal?.addEventListener("abort", giveUp, { once: true });
      line.waiting.push(proceed);
      this.#giveOut();
    });
  }

  #leave(name: string): void {
    const line = this.#lines.get(name)!;
    this.#inUse -= 1;
    line.inUse -= 1;
    this.#forget(name, line);
    this.#giveOut();
    if (this.#inUse === 0) this.#onIdle();
  }

  #forget(name: string, line: Line): void {
    if (line.inUse === 0 && line.waiting.length === 0) this.#lines.delete(name);
  }

  #giveOut(): void {
    for (let next = this.#next(); next; next = this.#next()) {
      const [name, line] = next;
      // The next turn of this one comes after those of all others.
      this.#lines.delete(name);
      this.#lines.set(name, line);
      line.inUse += 1;
      this.#inUse += 1;
      line.waiting.shift()?.();
    }
  }

  #next(): [string, Line] | undefined {
    const keptForClients = this.#keptForClients();
    let next: [string, Line] | undefined;
    for (const [name, line] of this.#lines) {
      if (line.waiting.length === 0 || this.#options.size - this.#inUse <= this.#keptFrom(line, keptForClients))
        continue;
      if (line.inUse < (next?.[1].inUse ?? Number.POSITIVE_INFINITY)) next = [name, line];
    }
    return next;
  }

  /** How many items must stay free for others when a line gets one more. */
  #keptFrom({ isOfPipeline, inUse }: Line, keptForClients: number): number {
    const { forPipeline, forNewcomers } = this.#options;
    if (inUse === 0 && !isOfPipeline && keptForClients > 0) return 0;
    return (isOfPipeline ? keptForClients : forPipeline) + (inUse > 0 ? forNewcomers : 0);
  }

  /** How many items are for clients who have none. They are never taken from what only the pipeline gets. */
  #keptForClients(): number {
    const { size, forPipeline, forClients } = this.#options;
    const clients = [...this.#lines.values()].filter((line) => !line.isOfPipeline && line.inUse > 0);
    const theirs = clients.reduce((sum, { inUse }) => sum + inUse, 0);
    return Math.max(0, Math.min(forClients - clients.length, size - forPipeline - theirs));
  }
}

function nameOf({ owner, isOfPipeline = false }: Claim): string {
  return isOfPipeline ? `pipeline ${owner}` : owner;
}
