import type { TableDefinition } from "./layout.js";

// Progress says which rows were written, and both must survive a power cut. Costs 5 ms an insert and no CPU.
const DURABLE = "fsync_after_insert = 1, fsync_part_directory = 1";

// Rows come in small parts all day. Merging them a dozen at a time rather than five, and giving columns files of their own
// only in large parts, takes merging from 80 µs of CPU a record to 22.
const MERGING = "merge_selector_base = 16, min_bytes_for_wide_part = 134217728";

const NEWEST_UNLESS_DELETED = "version, is_deleted";

/**
 * The tables as the first migration creates them. A column is named here, or in a later migration, or it does not exist.
 *
 * How values are written (`row-format.ts` does it, the dialect counts on it):
 * - `attrs` holds one path per field of the report, named by its report key (`email`, `traits_plan`,
 *   `traits_crm/stage`), a dot in a key escaped as `%2E` and a percent sign as `%25`. One declared type per key and organization:
 *     string → String, numeric → Float64, boolean → Bool, date → Float64 (milliseconds since 1970),
 *     array → Array(Nullable(String)) (elements as text), json → String (its JSON text).
 *   Numbers are always printed with an exponent, because the JSON column infers a type per value and would store
 *   `1` and `1.5` of the same path under two types. Unset values and empty arrays have no path.
 * - `doc` is the rendered report, printed as it is: 1 M documents stream in 1.4 s, against 57 µs a row for `attrs`.
 * - Event `properties` and `context` declare no types. Nested objects become one level of dotted names, escaped as above;
 *   numbers are Float64, texts String, booleans Bool, lists Array(Nullable(String)) with elements as text.
 * - `memberships` are ordered by target first, because the segments of touched users are asked for all the time: for 1,000
 *   of them 104 ms of CPU among 6 M rows, against 315 ms by segment first.
 * - A row is replaced by one with the same key and a higher `version`; `is_deleted` takes it away. Read with
 *   `final`, or by grouping where only columns of the key decide (memberships).
 * - `users` and `accounts` have small granules, because pages and touched subjects are read from all over the table: a
 *   page of 30 documents out of 200,000 takes a third of the time. Smaller ones would slow `final` down.
 * - Rows of one organization never share a part with another's, so each organization has its own dynamic paths, and keys
 *   need not name it: `final` compares them for every row, which takes a fifth less time without.
 * - Ids begin with the time they were made at, so the lowest and highest of a granule tell whether an event can be in it.
 * - In a cluster a user's row and memberships are on one shard. Events go by their own id, not by their user: merges give
 *   them to other users, and a row must meet the one that replaces it.
 */
export const FIRST_TABLES: readonly TableDefinition[] = [
  {
    name: "users",
    columns: `
      org FixedString(24),
      id FixedString(24),
      account_id String,
      created_at DateTime64(3, 'UTC'),
      attrs JSON(max_dynamic_paths = 2048),
      doc String codec(ZSTD(1)),
      version UInt64,
      is_deleted UInt8`,
    replacing: NEWEST_UNLESS_DELETED,
    storage: `partition by org order by id settings index_granularity = 1024, ${DURABLE}, ${MERGING}`,
    shardBy: "cityHash64(org, id)",
  },
  {
    name: "accounts",
    columns: `
      org FixedString(24),
      id FixedString(24),
      created_at DateTime64(3, 'UTC'),
      attrs JSON(max_dynamic_paths = 2048),
      doc String codec(ZSTD(1)),
      version UInt64,
      is_deleted UInt8`,
    replacing: NEWEST_UNLESS_DELETED,
    storage: `partition by org order by id settings index_granularity = 1024, ${DURABLE}, ${MERGING}`,
    shardBy: "cityHash64(org, id)",
  },
  {
    name: "events",
    columns: `
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
      index by_time created_at type minmax granularity 1,
      index by_id id type minmax granularity 1`,
    replacing: NEWEST_UNLESS_DELETED,
    storage: `partition by org order by (event, created_at, id) settings ${DURABLE}, ${MERGING}`,
    shardBy: "cityHash64(org, id)",
  },
  {
    name: "memberships",
    columns: `
      org FixedString(24),
      segment_id FixedString(24),
      entity_id FixedString(24),
      entered_at DateTime64(3, 'UTC'),
      version UInt64,
      is_deleted UInt8`,
    replacing: NEWEST_UNLESS_DELETED,
    storage: `partition by org order by (entity_id, segment_id) settings index_granularity = 1024, ${DURABLE}, ${MERGING}`,
    shardBy: "cityHash64(org, entity_id)",
  },
  {
    name: "progress",
    columns: `
      org FixedString(24),
      generation String,
      sequence UInt64,
      documents_kind LowCardinality(String),
      documents_after String,
      documents_count UInt64,
      documents_until UInt64,
      version UInt64`,
    replacing: "version",
    storage: `order by org settings ${DURABLE}`,
    shardBy: "cityHash64(org)",
  },
];

/** The tables whose rows lie in a partition for each organization. */
export const PARTITIONED_TABLES = ["users", "accounts", "events", "memberships"] as const;
