/** What waits in a `SharedBuffer`. */
export interface BufferedItem {
  organizationId: string;
  bytes: number;
}

interface Share<Item> {
  /** Those before `head` are taken. */
  waiting: Item[];
  head: number;
  /** With the items that are taken and not settled yet. */
  count: number;
  bytes: number;
}

export interface BufferLimits {
  count: number;
  bytes: number;
}

/**
 * A queue that organizations share, limited in items and in bytes. An organization may use all of it as long as no other
 * needs it. When it is full, the organization with the most in it loses its latest items, so that a flood of one takes no
 * place from the others.
 */
export class SharedBuffer<Item extends BufferedItem> {
  readonly #limits: BufferLimits;
  readonly #shares = new Map<string, Share<Item>>();
  #count = 0;
  #bytes = 0;

  constructor(limits: BufferLimits) {
    this.#limits = limits;
  }

  /** Items in the buffer, with those that are taken and not settled yet. */
  get count(): number {
    return this.#count;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Adds an item. Returns the items that lost their place for it: none, some of a larger share, or the item itself. */
  add(item: Item): Item[] {
    const share = this.#shares.get(item.organizationId) ?? { waiting: [], head: 0, count: 0, bytes: 0 };
    const dropped: Item[] = [];
    while (!this.#hasRoomFor(item)) {
      const largest = this.#largest();
      const isLarger =
        largest && this.#sizeOf(largest) > this.#sizeOf({ count: share.count + 1, bytes: share.bytes + item.bytes });
      const last = isLarger ? largest.waiting.pop() : undefined;
      if (!largest || !last) return [...dropped, item];
      this.#remove(largest, last);
      dropped.push(last);
    }
    this.#shares.set(item.organizationId, share);
    share.waiting.push(item);
    share.count += 1;
    share.bytes += item.bytes;
    this.#count += 1;
    this.#bytes += item.bytes;
    return dropped;
  }

  /** Takes items from each organization in turn, the oldest first: one at least, and as many as the limits allow. */
  take({ count, bytes }: BufferLimits): Item[] {
    const taken: Item[] = [];
    let bytesLeft = bytes;
    let hasMore = true;
    while (hasMore) {
      hasMore = false;
      for (const share of this.#shares.values()) {
        const item = share.waiting[share.head];
        if (!item) continue;
        if (taken.length > 0 && (taken.length >= count || item.bytes > bytesLeft)) return taken;
        share.head += 1;
        taken.push(item);
        bytesLeft -= item.bytes;
        hasMore = true;
      }
    }
    return taken;
  }

  /** Gives up the place of items that were taken. */
  settle(taken: readonly Item[]): void {
    for (const item of taken) {
      const share = this.#shares.get(item.organizationId);
      if (share) this.#remove(share, item);
    }
    for (const [organizationId, share] of this.#shares) {
      share.waiting = share.waiting.slice(share.head);
      share.head = 0;
      if (share.count === 0) this.#shares.delete(organizationId);
    }
  }

  /** Makes items that were taken the next to take. */
  putBack(): void {
    for (const share of this.#shares.values()) share.head = 0;
  }

  /** Empties the buffer and returns what was in it. */
  clear(): Item[] {
    const items = [...this.#shares.values()].flatMap(({ waiting }) => waiting);
    this.#shares.clear();
    this.#count = 0;
    this.#bytes = 0;
    return items;
  }

  #remove(share: Share<Item>, item: Item): void {
    share.count -= 1;
    share.bytes -= item.bytes;
    this.#count -= 1;
    this.#bytes -= item.bytes;
  }

  #hasRoomFor(item: Item): boolean {
    return this.#count < this.#limits.count && this.#bytes + item.bytes <= this.#limits.bytes;
  }

  /** How much of the buffer a share uses: 1 is all of it. */
  #sizeOf({ count, bytes }: BufferLimits): number {
    return Math.max(count / this.#limits.count, bytes / this.#limits.bytes);
  }

  /** The largest share of which an item still waits. */
  #largest(): Share<Item> | undefined {
    let largest: Share<Item> | undefined;
    for (const share of this.#shares.values()) {
      if (share.head === share.waiting.length) continue;
      if (!largest || this.#sizeOf(share) > this.#sizeOf(largest)) largest = share;
    }
    return largest;
  }
}
