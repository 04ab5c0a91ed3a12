import type { Field, MatchQuery, PrefixQuery, RegexpQuery, WildcardQuery } from "../query.js";
import { QueryError } from "../query-error.js";
import { isWord, WORD_CHARACTERS } from "../words.js";
import { type Column, TEXT_ARRAY } from "./column.js";
import { equalsAny } from "./equality.js";
import { and, atLeast, FALSE, or } from "./logic.js";
import type { Scope } from "./scope.js";
import { booleanFrom, dateFrom, numberFrom } from "./values.js";

/** A test of one text: given the SQL of a text, the SQL of a condition. */
type TextTest = (sql: string) => string;

const ASCII_GAP = "[\\x00-\\x2f\\x3a-\\x40\\x5b-\\x60\\x7b-\\x7f]";
const GAP = `[^${WORD_CHARACTERS}]`;

export function startsWithText(column: Column, query: PrefixQuery, scope: Scope): string {
  if (query.field.exact) {
    const prefix = scope.params.add("String", query.value);
    return anyText(column, query, (sql) => `startsWith(${sql}, ${prefix})`);
  }
  const start = query.value.toLowerCase();
  const whole = scope.params.add("String", start);
  const wordTest = isWord(start) ? inWords([start], (gap) => `(?:^|${gap})${start}`, scope) : () => FALSE;
  return anyText(column, query, (sql) =>
    or([`startsWith(lowerUTF8(${sql}), ${whole})`, wordTest(`lowerUTF8(${sql})`)]),
  );
}

export function fitsWildcard(column: Column, query: WildcardQuery, scope: Scope): string {
  const { exact } = query.field;
  const pattern = scope.params.add("String", likePattern(exact ? query.pattern : query.pattern.toLowerCase()));
  return anyText(column, query, (sql) => `${exact ? sql : `lowerUTF8(${sql})`} like ${pattern}`);
}

export function fitsRegexp(column: Column, query: RegexpQuery, scope: Scope): string {
  const pattern = scope.params.add("String", `(?s${query.field.exact ? "" : "i"})^(?:${query.pattern})$`);
  return anyText(column, query, (sql) => `match(${sql}, ${pattern})`);
}

/** Words are looked for in text; a number, date or boolean is compared with the text as a whole, if it can be read so. */
export function matchesText(column: Column, query: MatchQuery, scope: Scope): string {
  switch (column.type) {
    case "numeric":
      return numberFrom(query.text) === undefined ? FALSE : equalsText(column, query, scope);
    case "boolean":
      return booleanFrom(query.text) === undefined ? FALSE : equalsText(column, query, scope);
    case "date":
    case "instant":
      return dateFrom(query.text, scope) === undefined ? FALSE : equalsText(column, query, scope);
    case "memberships":
      return equalsText(column, query, scope);
    case "dynamic":
      return or([anyText(column, query, wordsTest(query, scope)), equalsText(column, query, scope)]);
    default:
      return anyText(column, query, wordsTest(query, scope));
  }
}

function equalsText(column: Column, query: MatchQuery, scope: Scope): string {
  return equalsAny(column, { kind: "terms", path: query.path, field: query.field, values: [query.text] }, scope);
}

function wordsTest(query: MatchQuery, scope: Scope): TextTest {
  const { words, mode } = query;
  if (query.field.exact) {
    const whole = scope.params.add("String", query.text);
    return (sql) => (mode === "phrase_prefix" ? `startsWith(${sql}, ${whole})` : `${sql} = ${whole}`);
  }
  if (words.length === 0) return () => FALSE;
  if (mode === "words") {
    const tests = words.map((word) => inWords([word], (gap) => `(?:^|${gap})${word}(?:${gap}|$)`, scope));
    return (sql) =>
      atLeast(
        query.minimum,
        tests.map((test) => test(`lowerUTF8(${sql})`)),
      );
  }
  const end = (gap: string) => (mode === "phrase" ? `(?:${gap}|$)` : "");
  const test = inWords(words, (gap) => `(?:^|${gap})${words.join(`${gap}+`)}${end(gap)}`, scope);
  return (sql) => test(`lowerUTF8(${sql})`);
}

/**
 * A pattern about words and the gaps between them, on lower-cased text. Three steps, each run only on what the one
 * before left over: is the text there at all (27 ms for 1 M names), are there words around ASCII gaps (30 ms), and only
 * for text beyond ASCII the same with gaps by Unicode, because the engine builds that expression anew for every block
 * of rows (5 ms each, which made it 105 ms on its own).
 */
function inWords(words: readonly string[], pattern: (gap: string) => string, scope: Scope): TextTest {
  const longest = words.reduce((best, word) => (word.length > best.length ? word : best), "");
  const needle = scope.params.add("String", longest);
  const ascii = scope.params.add("String", pattern(ASCII_GAP));
  const unicode = scope.params.add("String", pattern(GAP));
  return (sql) =>
    and([
      `position(${sql}, ${needle}) > 0`,
      or([`match(${sql}, ${ascii})`, and([`not isASCII(${sql})`, `match(${sql}, ${unicode})`])]),
    ]);
}

/** Applies a test to the text of a column: of an array, to every element. */
function anyText(
  column: Column,
  query: { readonly path: string; readonly kind: string; readonly field: Field },
  test: TextTest,
): string {
  switch (column.type) {
    case "unknown":
      return FALSE;
    case "string":
    case "json":
      return test(column.sql);
    case "id":
      return test(`toString(${column.sql})`);
    case "array":
      return anyElement(column.sql, test);
    case "dynamic":
      return or([test(`${column.sql}.:String`), anyElement(`${column.sql}.:${TEXT_ARRAY}`, test)]);
    case "numeric":
    case "date":
    case "instant":
    case "boolean":
    case "memberships":
      throw new QueryError(query.path, `${query.kind} needs a text field; "${query.field.key}" is none`);
  }
}

function anyElement(sql: string, test: TextTest): string {
  const condition = test("assumeNotNull(x)");
  return condition === FALSE ? FALSE : `arrayExists(x -> ${condition}, ${sql})`;
}

/** `*` and `?` to `%` and `_`; a backslash in the pattern takes the next character literally. */
function likePattern(pattern: string): string {
  return pattern.replace(/\\(.)|[*?%_\\]/gsu, (token, escaped: string | undefined) => {
    if (escaped !== undefined) return literal(escaped);
    if (token === "*") return "%";
    return token === "?" ? "_" : literal(token);
  });
}

function literal(character: string): string {
  return /[%_\\]/.test(character) ? `\\${character}` : character;
}
