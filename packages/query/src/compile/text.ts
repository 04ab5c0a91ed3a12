import type { Field, MatchQuery, PrefixQuery, RegexpQuery, WildcardQuery } from "../query.js";
import { QueryError } from "../query-error.js";
import { isWord } from "../words.js";
import type { Column } from "./column.js";
import { equalsAny } from "./equality.js";
import { atLeast, FALSE, or } from "./logic.js";
import type { Scope } from "./scope.js";
import { booleanFrom, dateFrom, numberFrom } from "./values.js";

/** Takes the SQL of a text and returns the SQL of a condition. */
type TextTest = (sql: string) => string;

export function startsWithText(column: Column, query: PrefixQuery, scope: Scope): string {
  const { dialect, params } = scope;
  if (query.field.exact) {
    const prefix = params.add("text", query.value);
    return anyText(column, query, scope, (sql) => dialect.startsWith(sql, prefix));
  }
  const start = dialect.lowerCase(query.value);
  const whole = params.add("text", start);
  const wordTest = isWord(start) ? inWords([start], (gap) => `(?:^|${gap})${start}`, scope) : () => FALSE;
  return anyText(column, query, scope, (sql) =>
    or([dialect.startsWith(dialect.lower(sql), whole), wordTest(dialect.lower(sql))]),
  );
}

export function fitsWildcard(column: Column, query: WildcardQuery, scope: Scope): string {
  const { dialect } = scope;
  const { exact } = query.field;
  const pattern = scope.params.add("text", likePattern(exact ? query.pattern : dialect.lowerCase(query.pattern)));
  return anyText(column, query, scope, (sql) => dialect.like(exact ? sql : dialect.lower(sql), pattern));
}

export function fitsRegexp(column: Column, query: RegexpQuery, scope: Scope): string {
  const pattern = scope.params.add("text", `(?s${query.field.exact ? "" : "i"})^(?:${query.pattern})$`);
  return anyText(column, query, scope, (sql) => scope.dialect.matches(sql, pattern));
}

/** Looks for words in a text. A number, date or boolean is compared with the whole text, if that has the same type. */
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
      return or([anyText(column, query, scope, wordsTest(query, scope)), equalsText(column, query, scope)]);
    default:
      return anyText(column, query, scope, wordsTest(query, scope));
  }
}

function equalsText(column: Column, query: MatchQuery, scope: Scope): string {
  return equalsAny(column, { kind: "terms", path: query.path, field: query.field, values: [query.text] }, scope);
}

function wordsTest(query: MatchQuery, scope: Scope): TextTest {
  const { dialect } = scope;
  const { mode } = query;
  if (query.field.exact) {
    const whole = scope.params.add("text", query.text);
    return (sql) => (mode === "phrase_prefix" ? dialect.startsWith(sql, whole) : `${sql} = ${whole}`);
  }
  const words = query.words.map((word) => dialect.lowerCase(word));
  if (words.length === 0) return () => FALSE;
  if (mode === "words") {
    const tests = words.map((word) => inWords([word], (gap) => `(?:^|${gap})${word}(?:${gap}|$)`, scope));
    return (sql) =>
      atLeast(
        query.minimum,
        tests.map((test) => test(dialect.lower(sql))),
      );
  }
  const end = (gap: string) => (mode === "phrase" ? `(?:${gap}|$)` : "");
  const test = inWords(words, (gap) => `(?:^|${gap})${words.join(`${gap}+`)}${end(gap)}`, scope);
  return (sql) => test(dialect.lower(sql));
}

/** A pattern of words and the gaps between them, for text in lower case. */
function inWords(words: readonly string[], pattern: (gap: string) => string, scope: Scope): TextTest {
  const needle = words.reduce((best, word) => (word.length > best.length ? word : best), "");
  return (sql) => scope.dialect.hasWords(sql, { needle, pattern }, scope.params);
}

/** Applies a test to the text of a column, or to every element of an array. */
function anyText(
  column: Column,
  query: { readonly path: string; readonly kind: string; readonly field: Field },
  { dialect }: Scope,
  test: TextTest,
): string {
  switch (column.type) {
    case "unknown":
      return FALSE;
    case "string":
    case "json":
      return test(column.sql);
    case "id":
      return test(dialect.idText(column.sql));
    case "array":
      return dialect.anyElement(column.sql, test);
    case "dynamic": {
      const { text, list } = dialect.dynamic(column.sql);
      return or([test(text), dialect.anyElement(list, test)]);
    }
    case "numeric":
    case "date":
    case "instant":
    case "boolean":
    case "memberships":
      throw new QueryError(query.path, `${query.kind} needs a text field; "${query.field.key}" has another type`);
  }
}

/** Turns `*` and `?` into `%` and `_`. A backslash in the pattern escapes the next character. */
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
