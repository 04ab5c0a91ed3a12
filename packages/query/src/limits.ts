/** Bounds that keep one query from costing more than its author means: past any of them the query is refused. */
export const LIMITS = {
  /** Clauses within clauses. */
  depth: 32,
  /** Clauses in one query, counted over the whole tree. Elasticsearch's own default. */
  clauses: 1_024,
  /** Values in one `terms` or `ids` list. They travel as one query parameter, which a server may take in a URL of 1 MB. */
  listLength: 10_000,
  /** Characters in one value that is compared. */
  valueLength: 32_768,
  /** Characters in a pattern or in a text to match. */
  patternLength: 1_000,
  /** Words in a text to match: each is a test of its own. */
  words: 64,
  sortKeys: 10,
  /** Aggregations in one request, nested ones included. */
  aggregations: 50,
  /** Buckets of one aggregation. */
  buckets: 10_000,
  /** Rows before a page; deeper pages use `search_after`. */
  pageDepth: 10_000,
} as const;
