import { stripVTControlCharacters } from "node:util";

// Control characters and invisible formatting characters: a terminal obeys the first, and the second can reverse the
// order of a text. The joiners that letters and emoji need (U+200C, U+200D) are harmless.
const UNSAFE = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;
const UNSAFE_IN_LINES = /(?![\n\t\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** One line of text without anything that a terminal would obey. Attribute values can hold escape sequences. */
export function printableCell(text: string): string {
  return stripVTControlCharacters(text)
    .replace(/[\s\u2028\u2029]+/g, " ")
    .replace(UNSAFE, "");
}

/** The same for text of several lines. */
export function printableText(text: string): string {
  return stripVTControlCharacters(text).replace(UNSAFE_IN_LINES, "");
}

/** JSON in which unsafe characters are escaped. Parsed, it is the same value. */
export function printableJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).replace(UNSAFE_IN_JSON, (character) =>
    [...Array(character.length).keys()]
      .map((index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, "0")}`)
      .join(""),
  );
}

const UNSAFE_IN_JSON = /(?![\n\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;
