import type { Scope } from "../scope.js";

/** The set of the units of time that a user has events in, by the places of the units. */
export interface PlaceSets {
  /** Aggregates that collect the places of some rows. Rows whose place is null are not in the set. */
  collect(placeSql: string): string[];
  /** 1 when the collected set has the place, else 0 or null. */
  has(place: number): string;
}

// The bits of a word are a whole number of 64 bits with a sign.
const PLACES_PER_WORD = 62;
const MAX_WORDS = 6;

/** A year of days fits. */
export const MAX_PLACES = PLACES_PER_WORD * MAX_WORDS;

/**
 * Collects units as bits of a few numbers. With distinct pairs of user and unit instead, counting the users of each week took
 * two and a half times as long over ten million events.
 */
export function placeSets(count: number, { dialect }: Scope): PlaceSets {
  const words = Array.from({ length: Math.ceil(count / PLACES_PER_WORD) }, (_, word) => word);
  const inWord = (place: string, word: number) => {
    if (words.length === 1) return place;
    const first = word * PLACES_PER_WORD;
    return `case when ${place} >= ${first} and ${place} < ${first + PLACES_PER_WORD} then ${place} - ${first} end`;
  };
  return {
    collect: (place) => words.map((word) => `${dialect.setOf(inWord(place, word))} as places_${word}`),
    has: (place) => dialect.hasPlace(`places_${Math.floor(place / PLACES_PER_WORD)}`, place % PLACES_PER_WORD),
  };
}
