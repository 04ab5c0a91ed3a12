export type Row = Record<string, unknown>;

export interface RowQuery {
  connectionString: string;
  query: string;
  /** The value of `:last_value`. */
  lastValue: string | null;
}

/** Places where the query names the last value. With two colons it is a cast in PostgreSQL. */
export const LAST_VALUE = /(?<!:):last_value\b/g;

export const BATCH_SIZE = 500;
export const CONNECT_TIMEOUT_MS = 10_000;
export const QUERY_TIMEOUT_MS = 5 * 60_000;
