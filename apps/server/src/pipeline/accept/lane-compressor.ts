import type { Lane } from "../../domain/entries/lanes.js";
import { compressEntries } from "../../storage/ingest-log/compressed-entries.js";
import type { LogPart } from "../../storage/ingest-log/log-batch.js";

/** A part of a batch that is ready to be appended to the log. */
export interface CompressedPart extends LogPart {
  /** The size of the entries as JSON. */
  bytes: number;
}

// A row of the log is compressed, read and applied as a whole, so it must be small. An entry that is larger has a row to
// itself.
const PART_BYTES = 256 * 1024;

const FIRST_BYTES = 4 * 1024;
const COMMA = 0x2c;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
// A UTF-16 code unit takes at most three bytes of UTF-8.
const MAX_BYTES_PER_CHARACTER = 3;

/** Compresses entries of one lane, which are JSON already, into parts. */
export class LaneCompressor {
  readonly #lane: Lane;
  readonly #parts: CompressedPart[] = [];
  /** The list of entries as JSON, without its end. */
  #list = Buffer.alloc(0);
  #length = 0;
  #entryCount = 0;

  constructor(lane: Lane) {
    this.#lane = lane;
  }

  add(text: string): void {
    if (this.#length + text.length > PART_BYTES) this.#compress();
    this.#makeRoom(text.length * MAX_BYTES_PER_CHARACTER + 2);
    this.#list[this.#length] = this.#entryCount === 0 ? OPEN_LIST : COMMA;
    this.#length += 1 + this.#list.write(text, this.#length + 1, "utf8");
    this.#entryCount += 1;
  }

  /** All parts, in the order of their entries. */
  finish(): CompressedPart[] {
    this.#compress();
    return this.#parts;
  }

  #compress(): void {
    const entryCount = this.#entryCount;
    if (entryCount === 0) return;
    this.#list[this.#length] = CLOSE_LIST;
    const payload = compressEntries(this.#list.subarray(0, this.#length + 1));
    this.#parts.push({ lane: this.#lane, entryCount, payload, bytes: this.#length });
    this.#length = 0;
    this.#entryCount = 0;
  }

  #makeRoom(bytes: number): void {
    const needed = this.#length + bytes;
    if (needed <= this.#list.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(FIRST_BYTES, needed, this.#list.length * 2));
    this.#list.copy(larger, 0, 0, this.#length);
    this.#list = larger;
  }
}
