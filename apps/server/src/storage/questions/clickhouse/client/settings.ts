type Settings = Readonly<Record<string, string | number>>;

/**
 * Settings of every statement. Values are written with their declared type, so ClickHouse must not infer types from them,
 * and dots in keys are part of the key.
 */
export const SESSION_SETTINGS: Settings = {
  input_format_try_infer_dates: 0,
  input_format_try_infer_datetimes: 0,
  json_type_escape_dots_in_keys: 1,
  output_format_json_quote_64bit_integers: 0,
  date_time_output_format: "iso",
  join_use_nulls: 1,
  // A cursor is serialised from a tuple and must be a list. A tuple with names would become an object.
  enable_named_columns_in_function_tuple: 0,
  // Without this the start of a month or year before 1970 would be 1970.
  enable_extended_results_for_datetime_functions: 1,
  do_not_merge_across_partitions_select_final: 1,
  // By default the third run of a statement is compiled to machine code. For a hundred segments that took 3 s and did
  // not make the statement faster.
  compile_expressions: 0,
  compile_aggregate_expressions: 0,
  compile_sort_description: 0,
};

/** Settings of statements that only read, on a server. */
export const READING_SETTINGS: Settings = {
  // The server sends the answer only when it is complete, so that an error after the first rows is reported as an error.
  wait_end_of_query: 1,
  // A statement ends when its client disconnects, provided that the server knows that it only reads.
  cancel_http_readonly_queries_on_client_close: 1,
  readonly: 2,
};

/** Additional settings for tables that are distributed over a cluster. */
export const CLUSTER_SETTINGS: Settings = {
  // When an insert returns, the next reader must see the rows. By default they may wait in a queue of the first server.
  distributed_foreground_insert: 1,
  // A subquery may need rows of every shard. It runs once, and its result is sent to all shards.
  distributed_product_mode: "global",
  // Reads and writes use the same replica of a shard while it is available, so that a reader sees the latest rows.
  load_balancing: "in_order",
  // Identical rows must be written again: they may have been deleted in between.
  insert_deduplicate: 0,
  // Dropping and deleting return only when every replica has done it.
  alter_sync: 2,
  mutations_sync: 2,
};
