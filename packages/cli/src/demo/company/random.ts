/** Numbers that depend on nothing but the key, so that the same seed gives the same company. */
export interface Random {
  /** A number from 0 up to, but not including, 1. */
  fraction(): number;
  /** A whole number from the first to the second, both included. */
  whole(from: number, to: number): number;
  chance(probability: number): boolean;
  pick<Item>(items: readonly Item[]): Item;
  /** Some of the items, each at most once, in the order of the list. */
  some<Item>(items: readonly Item[], count: number): Item[];
  /** One of the keys, in proportion to its weight. */
  weighted<Key extends string>(weights: Readonly<Record<Key, number>>): Key;
}

/** Fractions that follow from a whole number (mulberry32). */
export function createFractions(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export function createRandom(key: string): Random {
  const fraction = createFractions(hash(key));
  return {
    fraction,
    whole: (from, to) => from + Math.floor(fraction() * (to - from + 1)),
    chance: (probability) => fraction() < probability,
    pick: (items) => items[Math.floor(fraction() * items.length)]!,
    some(items, count) {
      let wanted = Math.min(count, items.length);
      return items.filter((_, index) => {
        const isTaken = fraction() * (items.length - index) < wanted;
        if (isTaken) wanted -= 1;
        return isTaken;
      });
    },
    weighted<Key extends string>(weights: Readonly<Record<Key, number>>) {
      const keys = Object.keys(weights) as Key[];
      let left = fraction() * keys.reduce((sum, each) => sum + weights[each], 0);
      for (const each of keys) {
        left -= weights[each];
        if (left < 0) return each;
      }
      return keys.at(-1)!;
    },
  };
}

/** FNV-1a. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193);
  return value;
}
