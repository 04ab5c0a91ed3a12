import type { DuckDBDataChunk, DuckDBValue } from "@duckdb/node-api";
import duckdb from "@duckdb/node-bindings";
import type { TableColumn } from "../layout/layout.js";

/** The values of one column, one for each row. */
export type ColumnValues = readonly DuckDBValue[];

/**
 * Writes a column of a data chunk. The library's own function computes the mask of nulls with BigInts, several for each
 * value, which is slow. This one uses bytes, so that nulls cost almost nothing: most columns are mostly empty.
 */
export function fillColumn(
  chunk: DuckDBDataChunk,
  index: number,
  type: TableColumn["type"],
  values: ColumnValues,
): void {
  if (type === "varchar[]") {
    chunk.setColumnValues(index, values);
    return;
  }
  const vector = duckdb.data_chunk_get_vector(chunk.chunk, index);
  if (type === "varchar") fillTexts(vector, values);
  else fillNumbers(vector, type, values);
  markNulls(vector, values);
}

function fillTexts(vector: duckdb.Vector, values: ColumnValues): void {
  for (let row = 0; row < values.length; row++) {
    const value = values[row];
    if (value !== null) duckdb.vector_assign_string_element(vector, row, value as string);
  }
}

type NumberType = Exclude<TableColumn["type"], "varchar" | "varchar[]">;

function fillNumbers(vector: duckdb.Vector, type: NumberType, values: ColumnValues): void {
  const items = numbersOf(type, values);
  duckdb.copy_data_to_vector(vector, 0, items.buffer as ArrayBuffer, items.byteOffset, items.byteLength);
}

function numbersOf(type: NumberType, values: ColumnValues): BigInt64Array | Float64Array | Int32Array | Uint8Array {
  if (type === "bigint") {
    const items = new BigInt64Array(values.length);
    for (let row = 0; row < values.length; row++) items[row] = (values[row] ?? 0n) as bigint;
    return items;
  }
  const items = new { double: Float64Array, integer: Int32Array, boolean: Uint8Array }[type](values.length);
  // Null and false become 0, true becomes 1.
  for (let row = 0; row < values.length; row++) items[row] = Number(values[row]);
  return items;
}

function markNulls(vector: duckdb.Vector, values: ColumnValues): void {
  // The engine reads words of 64 bits. A set bit means that the value is not null.
  const mask = new Uint8Array(Math.ceil(values.length / 64) * 8).fill(0xff);
  let hasNulls = false;
  for (let row = 0; row < values.length; row++) {
    if (values[row] !== null) continue;
    hasNulls = true;
    mask[row >> 3]! &= ~(1 << (row & 7));
  }
  if (!hasNulls) return;
  duckdb.vector_ensure_validity_writable(vector);
  duckdb.copy_data_to_vector_validity(vector, 0, mask.buffer, 0, mask.byteLength);
}
