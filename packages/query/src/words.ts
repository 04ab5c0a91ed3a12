/**
 * The definition of a word: a run of letters, digits and combining marks, in lower case, with its accents.
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
