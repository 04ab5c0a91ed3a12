import duckdb from "@duckdb/node-bindings";
import { writeKey } from "../layout/keys.js";
import type { TableColumn } from "../layout/layout.js";

// The buffers have the memory layout of the engine's vectors, so that a column is copied into its vector by one call: a
// call for each value takes several times as long. The layout is little-endian, like the processors that the engine runs on.

/** The values of one column for the rows of a chunk. A row without a value is null. */
export abstract class ColumnBuffer {
  /** The engine reads words of 64 bits. A set bit means that the row has a value. */
  readonly #mask: Uint8Array;
  #count = 0;

  constructor(rows: number) {
    this.#mask = new Uint8Array(Math.ceil(rows / 64) * 8);
  }

  /** Writes the rows to a vector, and starts again without values. */
  flush(vector: duckdb.Vector, rows: number): void {
    this.write(vector, rows);
    if (this.#count < rows) {
      duckdb.vector_ensure_validity_writable(vector);
      duckdb.copy_data_to_vector_validity(vector, 0, bytesOf(this.#mask), 0, Math.ceil(rows / 64) * 8);
    }
    this.#mask.fill(0);
    this.#count = 0;
  }

  protected note(row: number): void {
    this.#mask[row >> 3]! |= 1 << (row & 7);
    this.#count += 1;
  }

  protected abstract write(vector: duckdb.Vector, rows: number): void;
}

/** A column of type `double`, `integer` or `boolean`. */
export class NumberBuffer extends ColumnBuffer {
  readonly #values: Float64Array | Int32Array | Uint8Array;

  constructor(rows: number, type: "double" | "integer" | "boolean") {
    super(rows);
    this.#values = new { double: Float64Array, integer: Int32Array, boolean: Uint8Array }[type](rows);
  }

  put(row: number, value: number): void {
    this.#values[row] = value;
    this.note(row);
  }

  protected write(vector: duckdb.Vector, rows: number): void {
    duckdb.copy_data_to_vector(vector, 0, bytesOf(this.#values), 0, rows * this.#values.BYTES_PER_ELEMENT);
  }
}

const TWO_TO_THE_32 = 0x1_0000_0000;

/** A column of type `bigint`. Its numbers are written in halves, because BigInt is slow. */
export class BigintBuffer extends ColumnBuffer {
  readonly #halves: Int32Array;

  constructor(rows: number) {
    super(rows);
    this.#halves = new Int32Array(2 * rows);
  }

  put(row: number, value: number): void {
    const whole = Math.trunc(value);
    const high = Math.floor(whole / TWO_TO_THE_32);
    this.#halves[2 * row] = whole - high * TWO_TO_THE_32;
    this.#halves[2 * row + 1] = high;
    this.note(row);
  }

  putKey(row: number, id: string): void {
    writeKey(id, this.#halves, 2 * row);
    this.note(row);
  }

  protected write(vector: duckdb.Vector, rows: number): void {
    duckdb.copy_data_to_vector(vector, 0, bytesOf(this.#halves), 0, rows * 8);
  }
}

/** A text takes 16 bytes in a vector: its length, and the text itself if it has at most 12 bytes, filled up with zeros. */
const TEXT_BYTES = 16;
const LENGTH_BYTES = 4;
const MAX_SHORT = TEXT_BYTES - LENGTH_BYTES;

/** A column of type `varchar`. Short texts are copied together, and each of the others by a call of its own. */
export class TextBuffer extends ColumnBuffer {
  #short: Uint8Array;
  #hasShort = false;
  #longRows: number[] = [];
  #longTexts: string[] = [];

  constructor(rows: number) {
    super(rows);
    this.#short = new Uint8Array(TEXT_BYTES * rows);
  }

  put(row: number, text: string): void {
    this.note(row);
    if (text.length <= MAX_SHORT && this.#putShort(TEXT_BYTES * row, text)) return;
    this.#longRows.push(row);
    this.#longTexts.push(text);
  }

  /** False when the text is not ASCII. */
  #putShort(start: number, text: string): boolean {
    const bytes = this.#short;
    const first = start + LENGTH_BYTES;
    for (let place = 0; place < MAX_SHORT; place++) {
      const code = place < text.length ? text.charCodeAt(place) : 0;
      if (code > 0x7f) return false;
      bytes[first + place] = code;
    }
    bytes[start] = text.length;
    this.#hasShort = true;
    return true;
  }

  protected write(vector: duckdb.Vector, rows: number): void {
    if (this.#hasShort) duckdb.copy_data_to_vector(vector, 0, bytesOf(this.#short), 0, rows * TEXT_BYTES);
    for (let place = 0; place < this.#longRows.length; place++) {
      duckdb.vector_assign_string_element(vector, this.#longRows[place]!, this.#longTexts[place]!);
    }
    this.#hasShort = false;
    this.#longRows = [];
    this.#longTexts = [];
  }
}

/** A column of type `varchar[]`. A list is where its elements begin in a second vector, and how many they are. */
export class ListBuffer extends ColumnBuffer {
  readonly #places: BigInt64Array;
  #elements: string[] = [];

  constructor(rows: number) {
    super(rows);
    this.#places = new BigInt64Array(2 * rows);
  }

  put(row: number, elements: readonly string[]): void {
    this.#places[2 * row] = BigInt(this.#elements.length);
    this.#places[2 * row + 1] = BigInt(elements.length);
    for (const element of elements) this.#elements.push(element);
    this.note(row);
  }

  protected write(vector: duckdb.Vector, rows: number): void {
    duckdb.copy_data_to_vector(vector, 0, bytesOf(this.#places), 0, rows * 16);
    const count = this.#elements.length;
    if (count > 0) {
      duckdb.list_vector_reserve(vector, count);
      const texts = new TextBuffer(count);
      for (const [place, element] of this.#elements.entries()) texts.put(place, element);
      texts.flush(duckdb.list_vector_get_child(vector), count);
    }
    duckdb.list_vector_set_size(vector, count);
    // Rows without a list must not point at the elements of earlier chunks.
    this.#places.fill(0n);
    this.#elements = [];
  }
}

export function createBuffer(type: TableColumn["type"], rows: number): ColumnBuffer {
  switch (type) {
    case "varchar":
      return new TextBuffer(rows);
    case "varchar[]":
      return new ListBuffer(rows);
    case "bigint":
      return new BigintBuffer(rows);
    default:
      return new NumberBuffer(rows, type);
  }
}

/** The memory of an array that was created with a length, and so begins at its first byte. */
function bytesOf(values: { buffer: ArrayBufferLike }): ArrayBuffer {
  return values.buffer as ArrayBuffer;
}
