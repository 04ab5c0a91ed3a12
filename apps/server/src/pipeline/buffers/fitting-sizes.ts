import { CHANGE_BYTES } from "./change-buffer.js";

/** How many entries or subjects a change may be about. */
export interface SizeLimits {
  /** Before anything is known of an organization. */
  first: number;
  most: number;
  /** Each step has a fixed cost. The changes of larger profiles may take more than their share of the buffer. */
  least: number;
}

// One change in so many may fail because it is larger than the last ones: that costs little.
const HELD_FOR = 32;

/** What the sizes of an organization do not go beyond after a failure. */
interface Ceiling {
  size: number;
  /** For how many changes it was not to be raised, and for how many more it is not. */
  held: number;
  left: number;
}

/**
 * How many entries or subjects the next change of each organization may be about, so that it takes its share of the change
 * buffer. Nobody knows it before: it follows from what the last change took. The size doubles at most, because the
 * next profiles may be larger. After a failure it stays below the size that has failed, and comes back to it slowly.
 */
export class FittingSizes {
  readonly #limits: SizeLimits;
  readonly #sizes = new Map<string, number>();
  readonly #ceilings = new Map<string, Ceiling>();

  constructor(limits: SizeLimits) {
    this.#limits = limits;
  }

  of(organizationId: string): number {
    return this.#sizes.get(organizationId) ?? this.#limits.first;
  }

  /** Notes how many entries or subjects a change was about, and about how many bytes of memory it takes. */
  note(organizationId: string, count: number, bytes: number): void {
    const size = this.of(organizationId);
    // A small change that fits says nothing about large ones.
    if (bytes <= CHANGE_BYTES && count < size) return;
    const { most, least } = this.#limits;
    const fitting = Math.floor((count * CHANGE_BYTES) / Math.max(1, bytes));
    // After failures a change may be smaller than the least.
    const next = Math.min(2 * size, Math.max(least, fitting));
    this.#sizes.set(organizationId, Math.min(most, next, this.#ceilingOf(organizationId)));
  }

  /** Makes the next change half as large. The same one would take as long again, and PostgreSQL would end it again. */
  failed(organizationId: string): void {
    const size = this.of(organizationId);
    this.#sizes.set(organizationId, Math.max(1, Math.floor(size / 2)));
    const ceiling = { size: Math.max(1, Math.floor((size * 3) / 4)), held: HELD_FOR, left: HELD_FOR };
    this.#ceilings.set(organizationId, ceiling);
  }

  /**
   * The ceiling for the change after one that has succeeded. It rises ever sooner, because the failure may have had nothing to
   * do with the size.
   */
  #ceilingOf(organizationId: string): number {
    const ceiling = this.#ceilings.get(organizationId);
    if (!ceiling) return this.#limits.most;
    ceiling.left -= 1;
    if (ceiling.left > 0) return ceiling.size;
    ceiling.size = Math.ceil((ceiling.size * 4) / 3);
    ceiling.held = Math.ceil(ceiling.held / 2);
    ceiling.left = ceiling.held;
    if (ceiling.size >= this.#limits.most) this.#ceilings.delete(organizationId);
    return ceiling.size;
  }
}
