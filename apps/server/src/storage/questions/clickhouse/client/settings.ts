type Settings = Readonly<Record<string, string | number>>;

/**
 * Settings that every statement runs under. Values are written by their declared type, so nothing may be guessed from a
 * value; dots belong to names.
 */
export const SESSION_SETTINGS: Settings = {
  input_format_try_infer_dates: 0,
  input_format_try_infer_datetimes: 0,
  json_type_escape_dots_in_keys: 1,
  output_format_json_quote_64bit_integers: 0,
  date_time_output_format: "iso",
  join_use_nulls: 1,
  // A cursor is a list. With names, the tuple it is made of would be printed as an object.
  enable_named_columns_in_function_tuple: 0,
  // Without it the start of a month or year before 1970 is 1970.
  enable_extended_results_for_datetime_functions: 1,
  do_not_merge_across_partitions_select_final: 1,
  // Compiling the third run of a statement to machine code took 3 s for a hundred segments, to save nothing.
  compile_expressions: 0,
  compile_aggregate_expressions: 0,
  compile_sort_description: 0,
};

/** Settings of what only reads, on a server. */
export const READING_SETTINGS: Settings = {
  // The server prints whole answers only: an error after the first rows is then an error, and not half an answer.
  wait_end_of_query: 1,
  // A question that nobody waits for any more ends with its connection, if the server knows that it only reads.
  cancel_http_readonly_queries_on_client_close: 1,
  readonly: 2,
};

/** What is needed besides when the tables are spread over a cluster. */
export const CLUSTER_SETTINGS: Settings = {
  // A row is there for the next reader when the insert returns; by default it would wait in a queue of the first server.
  distributed_foreground_insert: 1,
  // A subquery may need rows of every shard: it is answered once, and its answer is sent to all of them.
  distributed_product_mode: "global",
  // The same replica of a shard is written and read while it is up, so that a reader sees what was just written.
  load_balancing: "in_order",
  // Writing the same rows again must write them: they may have been dropped or deleted in between.
  insert_deduplicate: 0,
  // Dropping and deleting are done when every replica has done them.
  alter_sync: 2,
  mutations_sync: 2,
};
