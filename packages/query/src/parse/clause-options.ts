import type { Bucketing, MetricName } from "../aggregation.js";

/** The options of a clause or an aggregation. The parser refuses every other one. */
export interface KnownOptions {
  readonly options: readonly string[];
  /** Accepted, because real queries have them, and without effect. */
  readonly ignored: readonly string[];
}

/** Accepted in every clause and without effect: nothing is scored, and clauses have no names or caches. */
export const IGNORED_EVERYWHERE = ["boost", "_name", "_cache", "_cache_key"] as const;

/** They tune scoring, spelling tolerance or analysis. */
const TEXT_TUNING = [
  "fuzziness",
  "prefix_length",
  "max_expansions",
  "fuzzy_transpositions",
  "fuzzy_rewrite",
  "analyzer",
  "lenient",
  "tie_breaker",
  "cutoff_frequency",
  "auto_generate_synonyms_phrase_query",
];

/** They tune scoring, or allow what is always allowed here. */
const RELATION_TUNING = ["score_mode", "score_type", "score", "ignore_unmapped"];

const only = (...options: string[]): KnownOptions => ({ options, ignored: [] });

/**
 * Every clause and its options. In a clause about one field they are the keys beside the value, as in
 * `{"term": {"plan": {"value": "pro"}}}`.
 */
export const CLAUSE_OPTIONS = {
  match_all: only(),
  match_none: only(),
  bool: {
    options: ["must", "filter", "should", "must_not", "minimum_should_match"],
    ignored: ["disable_coord", "adjust_pure_negative"],
  },
  and: only("filters"),
  or: only("filters"),
  not: only("filter", "query"),
  constant_score: { options: ["query", "filter"], ignored: ["strategy"] },
  filtered: { options: ["query", "filter"], ignored: ["strategy"] },
  // `rewrite` selects a scoring method. `execution` selected one of several equivalent plans in older engines.
  term: { options: ["value"], ignored: ["rewrite"] },
  terms: { options: [], ignored: ["execution"] },
  ids: { options: ["values"], ignored: ["type"] },
  range: only("gt", "gte", "lt", "lte", "format", "time_zone"),
  exists: only("field"),
  missing: { options: ["field", "existence"], ignored: ["null_value"] },
  prefix: { options: ["value", "prefix"], ignored: ["rewrite"] },
  wildcard: { options: ["value", "wildcard"], ignored: ["rewrite"] },
  regexp: { options: ["value"], ignored: ["rewrite"] },
  match: { options: ["query", "type", "operator", "minimum_should_match"], ignored: TEXT_TUNING },
  match_phrase: { options: ["query", "slop"], ignored: TEXT_TUNING },
  match_phrase_prefix: { options: ["query", "slop"], ignored: TEXT_TUNING },
  multi_match: {
    options: ["query", "fields", "type", "operator", "minimum_should_match", "slop"],
    ignored: TEXT_TUNING,
  },
  query_string: {
    options: ["query", "fields", "default_field", "default_operator", "minimum_should_match"],
    ignored: ["analyze_wildcard", ...TEXT_TUNING],
  },
  simple_query_string: {
    options: ["query", "fields", "default_field", "default_operator", "minimum_should_match"],
    ignored: ["analyze_wildcard", ...TEXT_TUNING],
  },
  has_child: { options: ["type", "query", "min_children", "max_children"], ignored: RELATION_TUNING },
  with_child: { options: ["type", "query", "min_children", "max_children"], ignored: RELATION_TUNING },
  has_parent: { options: ["parent_type", "type", "query"], ignored: RELATION_TUNING },
  parent_id: { options: ["id"], ignored: ["type", "ignore_unmapped"] },
} as const satisfies Record<string, KnownOptions>;

export type ClauseName = keyof typeof CLAUSE_OPTIONS;

const METRIC: KnownOptions = { options: ["field"], ignored: ["precision_threshold"] };

/** Every aggregation and its options. */
export const AGGREGATION_OPTIONS = {
  filter: only(),
  filters: only("filters"),
  missing: only("field"),
  // The ignored ones trade exactness for speed over many shards. Counts here are exact.
  terms: {
    options: ["field", "size", "order", "min_doc_count"],
    ignored: ["shard_size", "execution_hint", "collect_mode"],
  },
  histogram: only("field", "interval", "offset", "min_doc_count"),
  date_histogram: only("field", "interval", "calendar_interval", "fixed_interval", "time_zone", "min_doc_count"),
  range: only("field", "ranges"),
  cardinality: METRIC,
  stats: METRIC,
  sum: METRIC,
  avg: METRIC,
  min: METRIC,
  max: METRIC,
} as const satisfies Record<Bucketing["kind"] | MetricName, KnownOptions>;
