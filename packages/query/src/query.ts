import type { Target } from "./target.js";

/**
 * The checked form of a query: plain frozen nodes, one for each clause that has an effect. Short forms (`filtered`,
 * `and`, `missing`, `multi_match`, …) are replaced by bools of simpler nodes. The types of fields are not part of the
 * tree, so the same tree can be compiled again when an attribute gets another type.
 */
export type Query =
  | AllQuery
  | NoneQuery
  | BoolQuery
  | TermsQuery
  | RangeQuery
  | ExistsQuery
  | PrefixQuery
  | WildcardQuery
  | RegexpQuery
  | MatchQuery
  | HasEventsQuery
  | HasParentQuery;

export type QueryKind = Query["kind"];

/** Nodes that test one field. */
export type FieldQuery = Extract<Query, { field: Field }>;

export interface Field {
  /** Which row holds the value: that of the search's target, or that of its account. */
  readonly target: Target;
  /** As the author named it, without `account.`, `.raw` and the like. Event properties start with `properties.` or `context.`. */
  readonly key: string;
  /** True for a key with `.raw`, `.exact` or `.keyword`: the text is compared without any change. */
  readonly exact: boolean;
}

export type Scalar = string | number | boolean;

interface Node {
  /** The place of the clause in the query. */
  readonly path: string;
}

export interface AllQuery extends Node {
  readonly kind: "all";
}

export interface NoneQuery extends Node {
  readonly kind: "none";
}

export interface BoolQuery extends Node {
  readonly kind: "bool";
  /** The clauses of `must` and `filter`. They mean the same, because nothing is scored. */
  readonly must: readonly Query[];
  readonly should: readonly Query[];
  readonly mustNot: readonly Query[];
  /** How many of `should` must hold. */
  readonly minimum: number;
}

/** The value, or any element of an array, is one of these. */
export interface TermsQuery extends Node {
  readonly kind: "terms";
  readonly field: Field;
  readonly values: readonly Scalar[];
}

export type Bound = "gt" | "gte" | "lt" | "lte";

export interface RangeQuery extends Node {
  readonly kind: "range";
  readonly field: Field;
  readonly bounds: Readonly<Partial<Record<Bound, string | number>>>;
  readonly format: string | undefined;
  readonly timeZone: string | undefined;
}

export interface ExistsQuery extends Node {
  readonly kind: "exists";
  readonly field: Field;
}

export interface PrefixQuery extends Node {
  readonly kind: "prefix";
  readonly field: Field;
  readonly value: string;
}

/** `*` stands for any characters, `?` for one, and a backslash escapes the next; the whole value must match. */
export interface WildcardQuery extends Node {
  readonly kind: "wildcard";
  readonly field: Field;
  readonly pattern: string;
}

/** The whole value must match. */
export interface RegexpQuery extends Node {
  readonly kind: "regexp";
  readonly field: Field;
  readonly pattern: string;
}

export interface MatchQuery extends Node {
  readonly kind: "match";
  readonly field: Field;
  /** The text as it was given. Exact fields and fields that are not text are compared with it. */
  readonly text: string;
  /** Lower-cased. */
  readonly words: readonly string[];
  /** `words`: at least `minimum` words anywhere; `phrase`: all in a row; `phrase_prefix`: the same, the last as a prefix. */
  readonly mode: "words" | "phrase" | "phrase_prefix";
  readonly minimum: number;
}

/** The number of the target's matching events is between `min` and `max`. `activityOf` says which events count. */
export interface HasEventsQuery extends Node {
  readonly kind: "has_events";
  readonly query: Query;
  readonly min: number;
  readonly max: number | undefined;
}

export interface HasParentQuery extends Node {
  readonly kind: "has_parent";
  readonly parent: "user" | "account";
  readonly query: Query;
}

export function isFieldQuery(query: Query): query is FieldQuery {
  return "field" in query;
}

/** The direct children of a clause. */
export function childrenOf(query: Query): readonly Query[] {
  if (query.kind === "bool") return [...query.must, ...query.should, ...query.mustNot];
  if (query.kind === "has_events" || query.kind === "has_parent") return [query.query];
  return [];
}

/** A bool that only negates one clause. */
export function not(path: string, ...queries: Query[]): BoolQuery {
  return { kind: "bool", path, must: [], should: [], mustNot: queries, minimum: 0 };
}

export function allOf(path: string, queries: readonly Query[]): Query {
  return { kind: "bool", path, must: queries, should: [], mustNot: [], minimum: 0 };
}

export function anyOf(path: string, queries: readonly Query[]): Query {
  return { kind: "bool", path, must: [], should: queries, mustNot: [], minimum: 1 };
}
