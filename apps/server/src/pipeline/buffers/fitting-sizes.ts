import { CHANGE_BYTES } from "./change-buffer.js";

/** How many entries or subjects a change may be about. */
export interface SizeLimits {
  /** Before anything is known of an organization. */
  first: number;
  most: number;
  /** Each step has a fixed cost. The changes of larger profiles may take more than their share of the buffer. */
  least: number;
}

/**
 * How many entries or subjects the next change of each organization may be about, so that it takes its share of the change
 * buffer. Nobody knows it before: it follows from what the last change took. The size doubles at most, because the
 * next profiles may be larger.
 */
export class FittingSizes {
  readonly #limits: SizeLimits;
  readonly #sizes = new Map<string, number>();

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
    this.#sizes.set(organizationId, Math.min(most, next));
  }

  /** Makes the next change half as large. The same one would take as long again, and PostgreSQL would end it again. */
  failed(organizationId: string): void {
    this.#sizes.set(organizationId, Math.max(1, Math.floor(this.of(organizationId) / 2)));
  }
}
