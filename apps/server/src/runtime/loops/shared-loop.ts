import { Loop } from "./loop.js";

export interface SharedLoopOptions<Item> {
  /** How many items are worked on at the same time. */
  places: number;
  /** How many of them are of one organization, at most. */
  placesOfOne: number;
  lookEveryMs: number;
  /** Takes the next item, but none of these organizations. */
  take(withoutOrganizations: readonly string[]): Promise<Item | undefined>;
  work(item: Item): Promise<void>;
  /** Is called when an item could not be taken, or its work failed. */
  onError(error: unknown): void;
}

/**
 * Works on items of all organizations, a few at the same time. The next one is taken as soon as another has ended. An
 * organization without a place comes first, and none gets all places: its items may take as long as they can.
 */
export class SharedLoop<Item extends { organizationId: string }> {
  readonly #options: SharedLoopOptions<Item>;
  readonly #running = new Map<Item, Promise<void>>();
  readonly #loop: Loop;

  constructor(options: SharedLoopOptions<Item>) {
    this.#options = options;
    this.#loop = new Loop({ step: (signal) => this.#fill(signal), onError: (error) => options.onError(error) });
  }

  start(): void {
    this.#loop.start();
  }

  /** Looks for items now. */
  wake(): void {
    this.#loop.wake();
  }

  /** Takes no other item, and waits for those that are worked on. */
  async stop(): Promise<void> {
    await this.#loop.stop();
    await Promise.all(this.#running.values());
  }

  async #fill(signal: AbortSignal): Promise<number> {
    while (!signal.aborted && this.#running.size < this.#options.places) {
      const item = await this.#takeNext();
      if (!item) break;
      this.#begin(item);
    }
    return this.#options.lookEveryMs;
  }

  async #takeNext(): Promise<Item | undefined> {
    const { take, placesOfOne } = this.#options;
    const places = new Map<string, number>();
    for (const { organizationId } of this.#running.keys()) {
      places.set(organizationId, (places.get(organizationId) ?? 0) + 1);
    }
    for (let most = 1; most <= placesOfOne; most++) {
      const others = [...places].filter(([, count]) => count >= most).map(([organizationId]) => organizationId);
      const item = await take(others);
      if (item) return item;
      // None has fewer places than this, so the next look would be the same.
      if (others.length === 0) return undefined;
    }
    return undefined;
  }

  #begin(item: Item): void {
    const { work, onError } = this.#options;
    const done = work(item)
      .catch(onError)
      .finally(() => {
        this.#running.delete(item);
        this.wake();
      });
    this.#running.set(item, done);
  }
}
