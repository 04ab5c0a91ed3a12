import type { Target } from "./target.js";

/**
 * The checked form of a query: plain frozen nodes, one per clause that decides something. Sugar is gone (`filtered`,
 * `and`, `missing`, `multi_match` … are bools of simpler nodes), types are not yet known: the same tree is compiled
 * again when an attribute gets its type.
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

/** Nodes that ask about one field. */
export type FieldQuery = Extract<Query, { field: Field }>;

export interface Field {
  /** Whose row holds the value: the searched target's, or the account it belongs to. */
  readonly target: Target;
  /** As the author named it, without `account.`, `.raw` and the like. Event properties start with `properties.` or `context.`. */
  readonly key: string;
  /** Asked for by `.raw`, `.exact` or `.keyword`: text is compared as it stands. */
  readonly exact: boolean;
}

export type Scalar = string | number | boolean;

interface Node {
  /** Where the clause stood in the query. */
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
  /** `must` and `filter`: nothing is scored, so they are the same. */
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

/** `*` is any run of characters, `?` any one, a backslash takes the next literally; the whole value must fit. */
export interface WildcardQuery extends Node {
  readonly kind: "wildcard";
  readonly field: Field;
  readonly pattern: string;
}

/** The whole value must fit. */
export interface RegexpQuery extends Node {
  readonly kind: "regexp";
  readonly field: Field;
  readonly pattern: string;
}

export interface MatchQuery extends Node {
  readonly kind: "match";
  readonly field: Field;
  /** As given: what typed and exact fields are compared with. */
  readonly text: string;
  /** Lower-cased. */
  readonly words: readonly string[];
  /** `words`: that many of them, anywhere; `phrase`: in a row; `phrase_prefix`: in a row, the last one unfinished. */
  readonly mode: "words" | "phrase" | "phrase_prefix";
  readonly minimum: number;
}

/** The number of the target's events that fit lies between `min` and `max`. */
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

/** The clauses directly inside. */
export function childrenOf(query: Query): readonly Query[] {
  if (query.kind === "bool") return [...query.must, ...query.should, ...query.mustNot];
  if (query.kind === "has_events" || query.kind === "has_parent") return [query.query];
  return [];
}

/** A bool that is nothing but a negation. */
export function not(path: string, ...queries: Query[]): BoolQuery {
  return { kind: "bool", path, must: [], should: [], mustNot: queries, minimum: 0 };
}

export function allOf(path: string, queries: readonly Query[]): Query {
  return { kind: "bool", path, must: queries, should: [], mustNot: [], minimum: 0 };
}

export function anyOf(path: string, queries: readonly Query[]): Query {
  return { kind: "bool", path, must: [], should: queries, mustNot: [], minimum: 1 };
}
