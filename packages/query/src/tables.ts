// The cursor of the projection lives in PostgreSQL and survives a power cut: what it says was written must survive too.
// Costs 5 ms an insert and no CPU.
const DURABLE = "fsync_after_insert = 1, fsync_part_directory = 1";

// Rows come in small parts all day. Merging them a dozen at a time rather than five, and giving columns files of their own
// only in large parts, takes merging from 80 µs of CPU a record to 22.
const MERGING = "merge_selector_base = 16, min_bytes_for_wide_part = 134217728";

/**
 * The ClickHouse tables that compiled queries read. The compiler and the server's projection both hold to this
 * file: a column is named here or it does not exist.
 *
 * How values are written (the projection does it, the compiler counts on it):
 * - `attrs` holds one path per field of the report, named by its report key (`email`, `traits_plan`,
 *   `traits_crm/stage`), a dot in a key escaped as `%2E` and a percent sign as `%25`. One declared type per key and organization:
 *     string → String, numeric → Float64, boolean → Bool, date → Float64 (milliseconds since 1970),
 *     array → Array(Nullable(String)) (elements as text), json → String (its JSON text).
 *   Numbers are always printed with an exponent, because the JSON column infers a type per value and would store
 *   `1` and `1.5` of the same path under two types. Unset values and empty arrays have no path.
 * - `doc` is the rendered report, printed as it is: 1 M documents stream in 1.4 s, against 57 µs a row for `attrs`.
 * - Event `properties` and `context` declare no types. Nested objects become one level of dotted names, escaped as above;
 *   numbers are Float64, texts String, booleans Bool, lists Array(Nullable(String)) with elements as text.
 * - `memberships` are ordered by entity first, because the segments of touched users are asked for all the time: for 1,000
 *   of them 104 ms of CPU among 6 M rows, against 315 ms by segment first.
 * - A row is replaced by one with the same key and a higher `version`; `is_deleted` takes it away. Read with
 *   `final`, or by grouping where only columns of the key decide (memberships).
 * - `users` and `accounts` have small granules, because pages and touched entities are read from all over the table: a
 *   page of 30 documents out of 200,000 takes a third of the time. Smaller ones would slow `final` down.
 * - Rows of one organization never share a part with another's, so each organization has its own dynamic paths, and keys
 *   need not name it: `final` compares them for every row, which takes a fifth less time without.
 */
const TABLE_STATEMENTS = [
  `create table if not exists users (
    org FixedString(24),
    id FixedString(24),
    account_id String,
    created_at DateTime64(3, 'UTC'),
    attrs JSON(max_dynamic_paths = 2048),
    doc String codec(ZSTD(1)),
    version UInt64,
    is_deleted UInt8
  ) engine = ReplacingMergeTree(version, is_deleted)
  partition by org
  order by id
  settings index_granularity = 1024, ${DURABLE}, ${MERGING}`,

  `create table if not exists accounts (
    org FixedString(24),
    id FixedString(24),
    created_at DateTime64(3, 'UTC'),
    attrs JSON(max_dynamic_paths = 2048),
    doc String codec(ZSTD(1)),
    version UInt64,
    is_deleted UInt8
  ) engine = ReplacingMergeTree(version, is_deleted)
  partition by org
  order by id
  settings index_granularity = 1024, ${DURABLE}, ${MERGING}`,

  `create table if not exists events (
    org FixedString(24),
    event String,
    created_at DateTime64(3, 'UTC'),
    id FixedString(24),
    event_id String,
    user_id FixedString(24),
    origin_id FixedString(24),
    account_id String,
    source String,
    type String,
    session_id String,
    anonymous_id String,
    entity_id String,
    properties JSON(max_dynamic_paths = 512),
    context JSON(max_dynamic_paths = 128),
    doc String codec(ZSTD(1)),
    version UInt64,
    is_deleted UInt8,
    index by_user user_id type bloom_filter(0.01) granularity 1,
    index by_entity entity_id type bloom_filter(0.01) granularity 1,
    index by_time created_at type minmax granularity 1
  ) engine = ReplacingMergeTree(version, is_deleted)
  partition by org
  order by (event, created_at, id)
  settings ${DURABLE}, ${MERGING}`,

  `create table if not exists memberships (
    org FixedString(24),
    segment_id FixedString(24),
    entity_id FixedString(24),
    entered_at DateTime64(3, 'UTC'),
    version UInt64,
    is_deleted UInt8
  ) engine = ReplacingMergeTree(version, is_deleted)
  partition by org
  order by (entity_id, segment_id)
  settings index_granularity = 1024, ${DURABLE}, ${MERGING}`,
] as const;

export function tableStatements(): readonly string[] {
  return TABLE_STATEMENTS;
}
