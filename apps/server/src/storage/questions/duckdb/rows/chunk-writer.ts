import { DuckDBDataChunk, type DuckDBType } from "@duckdb/node-api";
import duckdb from "@duckdb/node-bindings";
import type { TableColumn } from "../layout/layout.js";
import {
  type BigintBuffer,
  type ColumnBuffer,
  createBuffer,
  type ListBuffer,
  type NumberBuffer,
  type TextBuffer,
} from "./column-buffers.js";
import type { RowWriter } from "./row-writer.js";

/** Collects the rows of one data chunk after the other. */
export class ChunkWriter implements RowWriter {
  readonly #types: readonly DuckDBType[];
  readonly #buffers: readonly ColumnBuffer[];
  #row = 0;

  /** @param rows The most rows of a chunk. */
  constructor(columns: readonly TableColumn[], types: readonly DuckDBType[], rows: number) {
    this.#types = types;
    this.#buffers = columns.map(({ type }) => createBuffer(type, rows));
  }

  /** How many rows the chunk has. */
  get rows(): number {
    return this.#row;
  }

  endRow(): void {
    this.#row += 1;
  }

  /** The chunk with the rows so far. The next row begins a new one. */
  takeChunk(): DuckDBDataChunk {
    const chunk = DuckDBDataChunk.create(this.#types, this.#row);
    for (const [index, buffer] of this.#buffers.entries()) {
      buffer.flush(duckdb.data_chunk_get_vector(chunk.chunk, index), this.#row);
    }
    this.#row = 0;
    return chunk;
  }

  // The writer of a row knows the type of each of its columns, so the casts to their buffers are right.

  key(column: number, id: string): void {
    (this.#buffers[column] as BigintBuffer).putKey(this.#row, id);
  }

  integer(column: number, value: number): void {
    (this.#buffers[column] as BigintBuffer).put(this.#row, value);
  }

  number(column: number, value: number): void {
    (this.#buffers[column] as NumberBuffer).put(this.#row, value);
  }

  text(column: number, text: string): void {
    (this.#buffers[column] as TextBuffer).put(this.#row, text);
  }

  list(column: number, elements: readonly string[]): void {
    (this.#buffers[column] as ListBuffer).put(this.#row, elements);
  }
}
