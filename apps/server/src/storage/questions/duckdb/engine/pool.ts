/** Shares up to `size` items, each of which has one user at a time. Items are created when they are first needed. */
export class Pool<Item> {
  readonly #size: number;
  readonly #make: () => Promise<Item>;
  readonly #free: Item[] = [];
  readonly #waiting: ((item: Item) => void)[] = [];
  #made = 0;

  constructor(size: number, make: () => Promise<Item>) {
    this.#size = size;
    this.#make = make;
  }

  async use<Result>(work: (item: Item) => Promise<Result>): Promise<Result> {
    const item = await this.#take();
    try {
      return await work(item);
    } finally {
      const next = this.#waiting.shift();
      if (next) next(item);
      else this.#free.push(item);
    }
  }

  /** Waits until no item is in use, and returns all of them, so that the caller can close them. */
  async close(): Promise<Item[]> {
    const items: Item[] = [];
    while (items.length < this.#made) items.push(await this.#take());
    return items;
  }

  async #take(): Promise<Item> {
    const free = this.#free.pop();
    if (free !== undefined) return free;
    if (this.#made >= this.#size) return new Promise((resolve) => this.#waiting.push(resolve));
    this.#made += 1;
    try {
      return await this.#make();
    } catch (error) {
      this.#made -= 1;
      throw error;
    }
  }
}
