export type QueryParams = Record<string, unknown>;

/** What we ask of ClickHouse, embedded or by URL. */
export interface ClickHouse {
  rows<Row>(sql: string, params?: QueryParams): Promise<Row[]>;
  /** The answer as it is printed in `format`, piece by piece. */
  stream(sql: string, params: QueryParams, format: string): AsyncIterable<Uint8Array>;
  /** Runs a statement without an answer; an insert carries its rows behind it. */
  command(sql: string, params?: QueryParams): Promise<void>;
  close(): Promise<void>;
}

/**
 * Settings every session works under. Values are written by their declared type, so nothing may be guessed from a
 * value; dots belong to names.
 */
export const SESSION_SETTINGS: Record<string, string | number> = {
  input_format_try_infer_dates: 0,
  input_format_try_infer_datetimes: 0,
  json_type_escape_dots_in_keys: 1,
  output_format_json_quote_64bit_integers: 0,
  date_time_output_format: "iso",
  join_use_nulls: 1,
  do_not_merge_across_partitions_select_final: 1,
  // Compiling the third run of a statement to machine code took 3 s for a hundred segments, to save nothing.
  compile_expressions: 0,
  compile_aggregate_expressions: 0,
  compile_sort_description: 0,
};

/** The same engine, telling `onSlow` of every statement that took longer than `slowMs`. */
export function watchSlowQueries(
  engine: ClickHouse,
  slowMs: number,
  onSlow: (sql: string, durationMs: number) => void,
): ClickHouse {
  const timed = async <Result>(sql: string, work: Promise<Result>): Promise<Result> => {
    const startedAt = performance.now();
    try {
      return await work;
    } finally {
      const durationMs = performance.now() - startedAt;
      // Behind the first line of an insert come people's data, which no log may hold.
      if (durationMs > slowMs)
        onSlow(sql.startsWith("insert") ? (sql.split("\n", 1)[0] ?? "") : sql, Math.round(durationMs));
    }
  };
  return {
    ...engine,
    rows: <Row>(sql: string, params?: QueryParams) => timed(sql, engine.rows<Row>(sql, params)),
    command: (sql, params) => timed(sql, engine.command(sql, params)),
  };
}
