import { type DuckDBValue, listValue } from "@duckdb/node-api";
import { keyOf } from "../layout/keys.js";
import type { TableColumn } from "../layout/layout.js";
import type { RowWriter } from "./row-writer.js";

/** Collects rows as one list of values for each column that has any. */
export class ListWriter implements RowWriter {
  readonly #columns: readonly TableColumn[];
  readonly #rows: number;
  readonly #lists = new Map<number, DuckDBValue[]>();
  #row = 0;

  constructor(columns: readonly TableColumn[], rows: number) {
    this.#columns = columns;
    this.#rows = rows;
  }

  endRow(): void {
    this.#row += 1;
  }

  /** The columns that are not empty, each with a value or null for every row. */
  get filled(): { column: TableColumn; values: readonly DuckDBValue[] }[] {
    return this.#columns.flatMap((column, index) => {
      const values = this.#lists.get(index);
      return values ? [{ column, values }] : [];
    });
  }

  key(column: number, id: string): void {
    this.#put(column, keyOf(id));
  }

  integer(column: number, value: number): void {
    this.#put(column, BigInt(Math.trunc(value)));
  }

  number(column: number, value: number): void {
    this.#put(column, this.#columns[column]?.type === "boolean" ? value === 1 : value);
  }

  text(column: number, text: string): void {
    this.#put(column, text);
  }

  list(column: number, elements: readonly string[]): void {
    this.#put(column, listValue(elements));
  }

  #put(column: number, value: DuckDBValue): void {
    let values = this.#lists.get(column);
    if (!values) {
      values = new Array<DuckDBValue>(this.#rows).fill(null);
      this.#lists.set(column, values);
    }
    values[this.#row] = value;
  }
}
