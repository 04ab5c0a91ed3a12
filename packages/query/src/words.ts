/**
 * What a word is, in one place: a run of letters, digits and the marks that belong to them, lower-cased, accents kept.
 * The engine's `lowerUTF8` and JavaScript's `toLowerCase` follow the same Unicode rules.
 */
const WORDS = /[\p{L}\p{N}\p{M}]+/gu;

/** Inside a character class of the engine's regular expressions. */
export const WORD_CHARACTERS = "\\pL\\pN\\pM";

export function wordsOf(text: string): string[] {
  return text.toLowerCase().match(WORDS) ?? [];
}

export function isWord(text: string): boolean {
  return text.match(WORDS)?.[0] === text;
}
