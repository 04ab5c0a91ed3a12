/** What waits in `WaitingBodies`. */
export interface WaitingItem {
  organizationId: string;
  bytes: number;
}

export interface WaitingLimits {
  count: number;
  bytes: number;
}

/**
 * A queue that organizations share, limited in items and bytes. They take turns. When it is full, the organization with
 * the most bytes in it loses its latest item, so that a flood of one organization does not displace the others.
 */
export class WaitingBodies<Item extends WaitingItem> {
  readonly #limits: WaitingLimits;
  /** By organization. The one whose turn is next comes first. */
  readonly #queues = new Map<string, { items: Item[]; bytes: number }>();
  #count = 0;
  #bytes = 0;

  constructor(limits: WaitingLimits) {
    this.#limits = limits;
  }

  /** Adds an item. Returns those that lost their place for it, which may be the item itself. */
  add(item: Item): Item[] {
    const queue = this.#queues.get(item.organizationId) ?? { items: [], bytes: 0 };
    this.#queues.set(item.organizationId, queue);
    queue.items.push(item);
    queue.bytes += item.bytes;
    this.#count += 1;
    this.#bytes += item.bytes;
    const dropped: Item[] = [];
    while (this.#count > this.#limits.count || this.#bytes > this.#limits.bytes) {
      const [organizationId, largest] = this.#largest()!;
      const last = largest.items.pop()!;
      this.#removed(organizationId, last);
      dropped.push(last);
    }
    return dropped;
  }

  /** Takes the first item of the organization whose turn it is, among those that may take one. */
  take(mayTake: (organizationId: string) => boolean): Item | undefined {
    for (const [organizationId, queue] of this.#queues) {
      if (!mayTake(organizationId)) continue;
      const item = queue.items.shift()!;
      // Its next turn comes after those of all others.
      this.#queues.delete(organizationId);
      this.#queues.set(organizationId, queue);
      this.#removed(organizationId, item);
      return item;
    }
    return undefined;
  }

  /** Empties the queue and returns what was in it. */
  clear(): Item[] {
    const items = [...this.#queues.values()].flatMap((queue) => queue.items);
    this.#queues.clear();
    this.#count = 0;
    this.#bytes = 0;
    return items;
  }

  #removed(organizationId: string, { bytes }: Item): void {
    const queue = this.#queues.get(organizationId)!;
    queue.bytes -= bytes;
    this.#count -= 1;
    this.#bytes -= bytes;
    if (queue.items.length === 0) this.#queues.delete(organizationId);
  }

  #largest() {
    let largest: [string, { items: Item[]; bytes: number }] | undefined;
    for (const entry of this.#queues) if (!largest || entry[1].bytes > largest[1].bytes) largest = entry;
    return largest;
  }
}
