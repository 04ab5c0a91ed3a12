import type { SafeStorage } from "../identity/safe-storage.js";
import { serialiseJson } from "../serialise-json.js";

export type RecordType = "track" | "traits" | "alias" | "unalias";

/** Something that the visitor did, as it is sent. */
export interface PageRecord {
  /** Tells two equal records apart, so that both count. */
  id: string;
  type: RecordType;
  timestamp: string;
  body: object;
}

/**
 * Records that are sent together. A stored batch never changes, so that sending it is idempotent: the server recognises
 * a repeated batch by its entries and counts it once.
 */
export interface StoredBatch {
  key: string;
  /** Who the visitor was when the records were made. */
  visitor: { bid: string; sid: string; accessToken?: string | undefined };
  records: readonly PageRecord[];
}

export const MAX_BATCHES = 500;
export const MAX_CHARACTERS = 1_000_000;

/**
 * The batches that the server has not confirmed yet. Each has a key of its own in the storage, which all tabs of the site
 * share: no tab changes what another one has written, it only adds and removes. Keys sort by time.
 */
export class Outbox {
  readonly #prefix: string;
  readonly #storage: SafeStorage;
  /** Batches that could not be stored. They are lost with the page. */
  readonly #onPage = new Map<string, StoredBatch>();
  #latest = 0;
  #added = 0;

  constructor(prefix: string, storage: SafeStorage) {
    this.#prefix = `${prefix}:`;
    this.#storage = storage;
  }

  /** Adds a batch. Returns the keys of the batches that were dropped to make room for it. */
  add({ visitor, records }: Omit<StoredBatch, "key">, now: number, id: string): { key: string; dropped: string[] } {
    const dropped = this.#dropOldest();
    // Keys keep the order of several batches in one millisecond, and when the clock is set back.
    this.#latest = Math.max(this.#latest, now);
    this.#added += 1;
    const order = [this.#latest.toString(36).padStart(9, "0"), this.#added.toString(36).padStart(5, "0")];
    const key = `${this.#prefix}${order.join("-")}:${id}`;
    if (!this.#storage.set(key, serialiseJson({ visitor, records }))) this.#onPage.set(key, { key, visitor, records });
    return { key, dropped };
  }

  /** The oldest batch that is not one of `skipped`. */
  first(skipped: ReadonlySet<string> = new Set()): StoredBatch | undefined {
    for (const key of this.keys()) {
      if (skipped.has(key)) continue;
      const batch = this.#onPage.get(key) ?? this.#read(key);
      if (batch) return batch;
      // Another script has written under our prefix. The value is removed, because it would block all batches after it.
      this.remove(key);
    }
    return undefined;
  }

  /** The batches that would be lost with the page, the oldest first. */
  notStored(): StoredBatch[] {
    return [...this.#onPage.values()];
  }

  remove(key: string): void {
    this.#onPage.delete(key);
    this.#storage.remove(key);
  }

  clear(): void {
    for (const key of this.keys()) this.remove(key);
  }

  keys(): string[] {
    const stored = this.#storage.keys().filter((key) => key.startsWith(this.#prefix));
    return [...stored, ...this.#onPage.keys()].sort();
  }

  #read(key: string): StoredBatch | undefined {
    try {
      const { visitor, records } = JSON.parse(this.#storage.get(key) ?? "");
      return typeof visitor?.bid === "string" && Array.isArray(records) ? { key, visitor, records } : undefined;
    } catch {
      return undefined;
    }
  }

  /** Limits the outbox, because a site has 5 MB of storage and the page needs some of it. */
  #dropOldest(): string[] {
    const keys = this.keys();
    const sizes = keys.map((key) => this.#storage.get(key)?.length ?? 0);
    let total = sizes.reduce((sum, size) => sum + size, 0);
    let count = 0;
    for (; count < keys.length && (keys.length - count >= MAX_BATCHES || total > MAX_CHARACTERS); count += 1) {
      total -= sizes[count] ?? 0;
    }
    const dropped = keys.slice(0, count);
    for (const key of dropped) this.remove(key);
    return dropped;
  }
}
