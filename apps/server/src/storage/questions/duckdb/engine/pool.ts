/** Lends out things that are used by one at a time, and makes them as they are first needed; who waits is served in order. */
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

  /** Waits until everything has come back, and hands it over to be closed. */
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
