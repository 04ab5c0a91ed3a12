import type { TableDefinition } from "./layout.js";

// Progress records which rows are written, so both must survive a power failure. This costs 5 ms per insert and no CPU.
const DURABLE = "fsync_after_insert = 1, fsync_part_directory = 1";

// Rows arrive in small parts all the time. Merging twelve parts at a time instead of five, and storing columns in separate
// files only in large parts, reduces the CPU time of merging from 80 µs to 22 µs per record.
const MERGING = "merge_selector_base = 16, min_bytes_for_wide_part = 134217728";

const NEWEST_UNLESS_DELETED = "version, is_deleted";

/**
 * The tables that the first migration creates.
 *
 * How values are written (by `row-format.ts`) and read (by the dialect):
 * - `attrs` has one path per field of the report, named by its report key (`email`, `traits_plan`, `traits_crm/stage`).
 *   A dot in a key is escaped as `%2E`, a percent sign as `%25`. Each key has one declared type per organization:
 *     string → String, numeric → Float64, boolean → Bool, date → Float64 (milliseconds since 1970),
 *     array → Array(Nullable(String)) (elements as text), json → String (its JSON text).
 *   Numbers are always written with an exponent, because the JSON column infers a type per value and would store
 *   `1` and `1.5` of the same path under two types. Unset values and empty arrays have no path.
 * - `doc` is the report as JSON text. Reading 1 M of these texts takes 1.4 s; reading `attrs` takes 57 µs per row.
 * - Event `properties` and `context` have no declared types. Nested objects become one level of dotted names, escaped as
 *   above. Numbers are Float64, texts String, booleans Bool, lists Array(Nullable(String)) with elements as text.
 * - `memberships` are sorted by subject first, because the segments of changed users are read all the time: for 1,000
 *   users among 6 M rows this takes 104 ms of CPU time, and 315 ms when sorted by segment first.
 * - A row is replaced by one with the same key and a higher `version`, and deleted by one with `is_deleted`. Rows are read
 *   with `final`, or by grouping where all needed columns are in the key (memberships).
 * - `users` and `accounts` have small granules, because the subjects of a page are all over the table: a page of 30
 *   documents out of 200,000 takes a third of the time. Even smaller granules would make `final` slower.
 * - Each organization has a separate partition. So each one has its own dynamic paths, and the sorting keys need not
 *   contain the organization, which makes `final` a fifth faster because it compares the keys of every row.
 * - Ids start with their creation time, so the lowest and highest id of a granule show whether an event can be in it.
 * - In a cluster the row and the memberships of a user are on the same shard. Events are distributed by their own id and
 *   not by their user: a merge changes the user, and all versions of a row must be on the same shard.
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

/** The tables that have one partition for each organization. */
export const PARTITIONED_TABLES = ["users", "accounts", "events", "memberships"] as const;
