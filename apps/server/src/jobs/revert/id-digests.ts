import { createHash } from "node:crypto";

const FREE = 0n;

/**
 * A set of ids that keeps eight bytes of a digest of each, because a job may have many millions: a `Set` of texts takes several
 * times as much memory, and ends at 16 million. Among ten million ids, one pair in 300,000 such sets has the same bytes.
 */
export class IdDigests {
  #table = new BigUint64Array(1_024);
  #size = 0;

  add(id: string): void {
    if (this.#size * 2 >= this.#table.length) this.#grow();
    this.#put(digestOf(id));
  }

  has(id: string): boolean {
    if (this.#size === 0) return false;
    return this.#table[this.#placeOf(digestOf(id))] !== FREE;
  }

  #put(digest: bigint): void {
    const place = this.#placeOf(digest);
    if (this.#table[place] === FREE) this.#size += 1;
    this.#table[place] = digest;
  }

  /** Where a digest is, or the free place where it belongs. Half of the places are free, so there is one. */
  #placeOf(digest: bigint): number {
    const table = this.#table;
    let place = Number(digest % BigInt(table.length));
    while (table[place] !== FREE && table[place] !== digest) place = (place + 1) % table.length;
    return place;
  }

  #grow(): void {
    const before = this.#table;
    this.#table = new BigUint64Array(before.length * 2);
    this.#size = 0;
    for (const digest of before) if (digest !== FREE) this.#put(digest);
  }
}

function digestOf(id: string): bigint {
  const digest = createHash("sha1").update(id).digest().readBigUInt64LE();
  return digest === FREE ? 1n : digest;
}
