/** Limits on the cost of one query. A query that exceeds one of them is refused. */
export const LIMITS = {
  /** How deep clauses may be nested. */
  depth: 32,
  /** Clauses in one query, counted over the whole tree. Elasticsearch has the same default. */
  clauses: 1_024,
  /** Values in one `terms` or `ids` list. They are sent as one parameter, which may be part of a URL of at most 1 MB. */
  listLength: 10_000,
  /** Characters in one value that is compared. */
  valueLength: 32_768,
  /** Characters in a pattern or in a text to match. */
  patternLength: 1_000,
  /** Characters that a regular expression may match when its repetitions are written out. */
  regexpLength: 1_000,
  /** Characters in the name of a field. */
  fieldNameLength: 512,
  /** Characters in a date format. */
  formatLength: 200,
  /** Words in a text to match; each is a separate test. */
  words: 64,
  sortKeys: 10,
  /** Aggregations in one request, nested ones included. */
  aggregations: 50,
  /** Buckets of one list. */
  buckets: 10_000,
  /** Buckets of one answer: those of all its lists, empty ones too. A metric of a bucket counts as one more. */
  answerBuckets: 50_000,
  /** Rows before a page; deeper pages use `search_after`. */
  pageDepth: 10_000,
} as const;
