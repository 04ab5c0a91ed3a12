import type { CsvFormat } from "../../domain/jobs/csv.js";
import { IncompleteFile, PartialRecord, type RawRecord, type RecordSplitter } from "./record-splitter.js";

const NEWLINE = 0x0a;
const QUOTE = 0x22;
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];

/**
 * Splits a CSV file into rows. A line end in a quoted cell does not end the row, and a quote opens a cell only at its
 * beginning. The header is not a record.
 */
export class CsvSplitter implements RecordSplitter {
  /** The first row when it is the header. */
  header: Buffer | undefined;
  readonly #record: PartialRecord;
  readonly #delimiter: number;
  #awaitsHeader: boolean;
  #line = 1;
  #startLine = 1;
  #offset = 0;
  #isInQuotes = false;
  #isAtCellStart = true;
  #hasJustClosed = false;

  constructor(maxRecordBytes: number, { delimiter, header }: CsvFormat) {
    this.#record = new PartialRecord(maxRecordBytes);
    this.#delimiter = delimiter.charCodeAt(0);
    this.#awaitsHeader = header;
  }

  push(given: Buffer): RawRecord[] {
    const chunk = this.#withoutMark(given);
    const records: RawRecord[] = [];
    let start = 0;
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at];
      if (byte === NEWLINE) this.#line += 1;
      if (this.#isInQuotes) {
        // An escaped quote (two quotes) closes the cell and opens it again.
        this.#isInQuotes = byte !== QUOTE;
        this.#hasJustClosed = byte === QUOTE;
        continue;
      }
      if (byte === NEWLINE) {
        this.#record.add(chunk.subarray(start, at));
        this.#take(records);
        start = at + 1;
        this.#isAtCellStart = true;
      } else if (byte === QUOTE && (this.#isAtCellStart || this.#hasJustClosed)) {
        this.#isInQuotes = true;
        this.#isAtCellStart = false;
      } else {
        this.#isAtCellStart = byte === this.#delimiter;
      }
      this.#hasJustClosed = false;
    }
    this.#record.add(chunk.subarray(start));
    return records;
  }

  end(): RawRecord[] {
    // Else the rest of the file would be the value of one cell.
    if (this.#isInQuotes) {
      throw new IncompleteFile(
        `The row that begins in line ${this.#startLine} has a quote that never closes, so the rows after it cannot be told apart.`,
      );
    }
    const records: RawRecord[] = [];
    this.#take(records);
    return records;
  }

  #take(records: RawRecord[]): void {
    const record = this.#record.take(this.#startLine);
    this.#startLine = this.#line;
    if (!record) return;
    if (this.#awaitsHeader) {
      this.#awaitsHeader = false;
      this.header = record.bytes;
    } else records.push(record);
  }

  /** Removes the byte order mark that some programs write before the first cell. It may be split between chunks. */
  #withoutMark(chunk: Buffer): Buffer {
    let at = 0;
    while (at < chunk.length && this.#offset < 3 && chunk[at] === BYTE_ORDER_MARK[this.#offset]) {
      at += 1;
      this.#offset += 1;
    }
    if (at < chunk.length) this.#offset = 3;
    return at === 0 ? chunk : chunk.subarray(at);
  }
}
