/** Takes the values of one row by the place of their column. A column that gets no value is null in that row. */
export interface RowWriter {
  /** The key of an id, for a column of type `bigint`. */
  key(column: number, id: string): void;
  /** A whole number, for a column of type `bigint`. */
  integer(column: number, value: number): void;
  /** For a column of type `double`, `integer` or `boolean`. A boolean is 0 or 1. */
  number(column: number, value: number): void;
  text(column: number, text: string): void;
  /** For a column of type `varchar[]`. */
  list(column: number, elements: readonly string[]): void;
}
