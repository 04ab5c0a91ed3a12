import type { ErasedSubject } from "./erased-subjects.js";

// Shorter values, such as the external id "7", occur everywhere: they count only beside the name of their kind.
const SHORTEST = 5;
const PATTERNS_PER_PART = 100;

/**
 * Finds erased subjects in texts that people or other programs wrote, such as the logs of connectors. The patterns mean
 * the same in JavaScript and in PostgreSQL, and match text in lower case.
 */
export class Mentions {
  /** One of them matches a text that names an erased subject. */
  readonly patterns: readonly string[];
  readonly #expressions: readonly RegExp[];

  constructor(subjects: readonly ErasedSubject[]) {
    const all = subjects.flatMap(({ id, identifiers }) => [id, ...identifiers.flatMap(patternOf)]);
    this.patterns = inParts(all).map(expressionOf);
    this.#expressions = this.patterns.map((pattern) => new RegExp(pattern));
  }

  areIn(text: string): boolean {
    const lower = text.toLowerCase();
    return this.#expressions.some((expression) => expression.test(lower));
  }
}

/** A pattern that matches one of the given ones as a word of its own. */
export function expressionOf(part: readonly string[]): string {
  return `(^|[^a-z0-9@._-])(${part.join("|")})($|[^a-z0-9@_-])`;
}

/** `identifier` is in the form that `identifierKey` returns. A short value has its kind before it. */
export function patternOf(identifier: string): string[] {
  const space = identifier.indexOf(" ");
  const kind = identifier.slice(0, space);
  const value = escaped(identifier.slice(space + 1).toLowerCase());
  if (value === "") return [];
  return identifier.length - space - 1 >= SHORTEST ? [value] : [`${kind}"?[:= ]+"?${value}`];
}

function escaped(text: string): string {
  return text.replace(/[^a-z0-9 ]/g, (character) => (character.charCodeAt(0) < 128 ? `\\${character}` : character));
}

export function inParts(patterns: readonly string[]): string[][] {
  const parts: string[][] = [];
  for (let start = 0; start < patterns.length; start += PATTERNS_PER_PART) {
    parts.push(patterns.slice(start, start + PATTERNS_PER_PART));
  }
  return parts;
}
