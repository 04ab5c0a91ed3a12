import { isObject } from "@muster/protocol";
import { LIMITS } from "../limits.js";
import { allOf, anyOf, type Field, type MatchQuery, type Query } from "../query.js";
import { QueryError } from "../query-error.js";
import { DEFAULT_TEXT_FIELDS } from "../target.js";
import { wordsOf } from "../words.js";
import { CLAUSE_OPTIONS, type ClauseName } from "./clause-options.js";
import type { ClauseParser, ParseContext } from "./clause-parser.js";
import { minimumShouldMatch } from "./minimum-should-match.js";
import { parseField } from "./parse-field.js";
import { type JsonObject, listAt, objectAt, oneOf, patternAt, refuseOthers, singleField, stringAt } from "./reader.js";

const MULTI_MATCH_TYPES = ["best_fields", "most_fields", "cross_fields", "phrase", "phrase_prefix"] as const;

export const TEXT_CLAUSES = {
  match: (body, path, context) => {
    const { field, input, at } = textClause(body, path, context, "match");
    // The older form of match_phrase and match_phrase_prefix.
    const type =
      input.type === undefined ? "boolean" : oneOf(input.type, `${at}.type`, ["boolean", "phrase", "phrase_prefix"]);
    return type === "boolean" ? matchWords(field, input, path, at) : matchInRow(field, input, path, at, type);
  },

  match_phrase: (body, path, context) => {
    const { field, input, at } = textClause(body, path, context, "match_phrase");
    return matchInRow(field, input, path, at, "phrase");
  },

  match_phrase_prefix: (body, path, context) => {
    const { field, input, at } = textClause(body, path, context, "match_phrase_prefix");
    return matchInRow(field, input, path, at, "phrase_prefix");
  },

  multi_match: (body, path, context) => {
    const input = objectAt(body, path);
    refuseOthers(input, path, CLAUSE_OPTIONS.multi_match);
    const fields = fieldsIn(input.fields, `${path}.fields`, context);
    const type = input.type === undefined ? "best_fields" : oneOf(input.type, `${path}.type`, MULTI_MATCH_TYPES);
    if (type === "cross_fields") return matchAcross(fields, input, path);
    return anyOf(
      path,
      fields.map((field) =>
        type === "phrase" || type === "phrase_prefix"
          ? matchInRow(field, input, path, path, type)
          : matchWords(field, input, path, path),
      ),
    );
  },

  query_string: plainWords,

  simple_query_string: plainWords,
} satisfies Partial<Record<ClauseName, ClauseParser>>;

function textClause(body: unknown, path: string, context: ParseContext, clause: ClauseName) {
  const { name, value, path: at } = singleField(body, path);
  const input = isObject(value) ? value : { query: value };
  refuseOthers(input, at, CLAUSE_OPTIONS[clause]);
  return { field: parseField(name, at, context.target), input, at };
}

function matchWords(field: Field, input: JsonObject, path: string, at: string): MatchQuery {
  const text = patternAt(input.query, `${at}.query`);
  const words = limitedWords(text, at);
  const minimum = operatorIn(input, "operator", at) === "and" ? words.length : 1;
  return {
    kind: "match",
    path,
    field,
    text,
    words,
    mode: "words",
    minimum:
      input.minimum_should_match === undefined
        ? minimum
        : Math.max(1, minimumShouldMatch(input.minimum_should_match, `${at}.minimum_should_match`, words.length)),
  };
}

function matchInRow(
  field: Field,
  input: JsonObject,
  path: string,
  at: string,
  mode: "phrase" | "phrase_prefix",
): MatchQuery {
  if (input.slop !== undefined && input.slop !== 0)
    throw new QueryError(`${at}.slop`, "expected 0: words are matched in a row");
  const text = patternAt(input.query, `${at}.query`);
  const words = limitedWords(text, at);
  return { kind: "match", path, field, text, words, mode, minimum: words.length };
}

/** Searches the fields as if they were one: with `and` every word must be in some field, with `or` at least one word. */
function matchAcross(fields: readonly Field[], input: JsonObject, path: string): Query {
  const words = limitedWords(patternAt(input.query, `${path}.query`), path);
  if (words.length === 0) return { kind: "none", path };
  const perWord = words.map((word) =>
    anyOf(
      path,
      fields.map((field) => wordIn(field, word, path, "words")),
    ),
  );
  if (input.minimum_should_match !== undefined) {
    const minimum = Math.max(
      1,
      minimumShouldMatch(input.minimum_should_match, `${path}.minimum_should_match`, words.length),
    );
    return { kind: "bool", path, must: [], should: perWord, mustNot: [], minimum };
  }
  return operatorIn(input, "operator", path) === "and" ? allOf(path, perWord) : anyOf(path, perWord);
}

/**
 * `query_string` for what people type into a search box: words, which may end with `*`. Other operators of that language
 * are refused, so that they are not read as words.
 */
function plainWords(body: unknown, path: string, context: ParseContext): Query {
  const input = objectAt(body, path);
  refuseOthers(input, path, CLAUSE_OPTIONS.query_string);
  const text = patternAt(input.query, `${path}.query`);
  const operator =
    /(?:^|\s)(?:AND|OR|NOT|&&|\|\|)(?:\s|$)|["()[\]{}~^\\]|(?:^|\s)[+!-]|\*\S|^\w+:(?!\/\/)|\s\w+:(?!\/\/)/.exec(text);
  if (operator !== null)
    throw new QueryError(`${path}.query`, `expected plain words; "${operator[0].trim()}" has no meaning here`);
  if (text.trim() === "*") return { kind: "all", path };
  const fields =
    input.default_field === undefined
      ? fieldsIn(input.fields, `${path}.fields`, context)
      : [parseField(input.default_field, `${path}.default_field`, context.target)];
  const terms = text.split(/\s+/).flatMap((term) => {
    const words = wordsOf(term);
    return words.map((word, index) => ({ word, open: term.endsWith("*") && index === words.length - 1 }));
  });
  if (terms.length > LIMITS.words) throw new QueryError(`${path}.query`, `expected at most ${LIMITS.words} words`);
  const perWord = terms.map(({ word, open }) =>
    anyOf(
      path,
      fields.map((field) => wordIn(field, word, path, open ? "phrase_prefix" : "words")),
    ),
  );
  const minimum = operatorIn(input, "default_operator", path) === "and" ? perWord.length : 1;
  return {
    kind: "bool",
    path,
    must: [],
    should: perWord,
    mustNot: [],
    minimum:
      input.minimum_should_match === undefined
        ? Math.max(1, minimum)
        : Math.max(1, minimumShouldMatch(input.minimum_should_match, `${path}.minimum_should_match`, perWord.length)),
  };
}

function wordIn(field: Field, word: string, path: string, mode: MatchQuery["mode"]): MatchQuery {
  return { kind: "match", path, field, text: word, words: [word], mode, minimum: 1 };
}

function fieldsIn(input: unknown, path: string, context: ParseContext): Field[] {
  const names =
    input === undefined
      ? DEFAULT_TEXT_FIELDS[context.target]
      : listAt(typeof input === "string" ? [input] : input, path);
  if (names.length === 0 || names.length > LIMITS.words)
    throw new QueryError(path, `expected 1 to ${LIMITS.words} fields`);
  return names.map((name, index) => {
    const bare = stringAt(name, `${path}.${index}`).replace(/\^[\d.]+$/, "");
    if (bare.includes("*")) throw new QueryError(`${path}.${index}`, "expected the full name of a field");
    return parseField(bare, `${path}.${index}`, context.target);
  });
}

function limitedWords(text: string, path: string): string[] {
  const words = wordsOf(text);
  if (words.length > LIMITS.words) throw new QueryError(`${path}.query`, `expected at most ${LIMITS.words} words`);
  return words;
}

function operatorIn(input: JsonObject, key: string, path: string): "and" | "or" {
  const value = input[key];
  return value === undefined
    ? "or"
    : oneOf(typeof value === "string" ? value.toLowerCase() : value, `${path}.${key}`, ["and", "or"]);
}
