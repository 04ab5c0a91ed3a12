import { isObject } from "@muster/protocol";
import { isTooDeep } from "../../domain/entries/unusable-json.js";
import { type ColumnMapping, MappedColumns } from "../../domain/jobs/column-mapping.js";
import { type CsvFormat, columnNames, readCsvRow, withoutFormulaQuote } from "../../domain/jobs/csv.js";
import { NOT_JSON, TOO_DEEP } from "../../domain/jobs/import-record.js";
import type { JobObject } from "../../domain/jobs/job.js";
import { CsvSplitter } from "./csv-splitter.js";
import { createRecordSplitter, type RecordSplitter } from "./record-splitter.js";

/** How the file of an import is read. */
export interface RecordFormat {
  object: JobObject;
  csv?: CsvFormat | undefined;
  columns?: readonly ColumnMapping[] | undefined;
}

/** A record, or a sentence that says why there is none. */
type Parsed = { record: unknown } | { problem: string };

/** Splits a file into records and parses each of them: JSON or CSV, with a mapping of columns or without. */
export class RecordParser {
  readonly splitter: RecordSplitter;
  readonly #csv: { splitter: CsvSplitter; format: CsvFormat } | undefined;
  readonly #mapping: MappedColumns | undefined;
  readonly #decoder = new TextDecoder("utf-8", { fatal: true });
  #names: string[] | undefined;

  constructor(maxRecordBytes: number, { object, csv, columns }: RecordFormat) {
    this.#mapping = columns && new MappedColumns(object, columns);
    if (csv) {
      const splitter = new CsvSplitter(maxRecordBytes, csv);
      this.#csv = { splitter, format: csv };
      this.splitter = splitter;
    } else this.splitter = createRecordSplitter(maxRecordBytes);
  }

  /** The names of the columns of a CSV file, once its first row was split. */
  get names(): string[] | undefined {
    return this.#names;
  }

  parse(bytes: Buffer): Parsed {
    const parsed = this.#csv ? this.#parseRow(bytes) : parseJson(bytes);
    if (!this.#mapping || "problem" in parsed) return parsed;
    if (!isObject(parsed.record)) return { problem: "The record is not an object." };
    const mapped = this.#mapping.read(parsed.record);
    return typeof mapped === "string" ? { problem: mapped } : { record: mapped };
  }

  #parseRow(bytes: Buffer): Parsed {
    const cells = this.#cellsOf(bytes);
    if (!cells) return { problem: "The row is not encoded as UTF-8." };
    this.#names ??= this.#readNames(cells);
    const names = this.#names;
    if (!names) return { problem: "The names of the columns cannot be read." };
    if (cells.length > names.length && cells.slice(names.length).some((cell) => cell.trim() !== "")) {
      return { problem: `The row has ${cells.length} cells, and the header has ${names.length}.` };
    }
    const filled = cells.flatMap((cell, index) => (cell.trim() === "" ? [] : [[names[index], cell]]));
    return { record: Object.fromEntries(filled) };
  }

  /** The names of the columns, by the first row. */
  #readNames(cells: string[]): string[] | undefined {
    const { format, splitter } = this.#csv!;
    // The header may be in another encoding than UTF-8, and then no name of a column can be read.
    const first = format.header ? splitter.header && this.#cellsOf(splitter.header) : cells;
    return first && columnNames(first, format.header);
  }

  #cellsOf(bytes: Buffer): string[] | undefined {
    const { delimiter, formulas } = this.#csv!.format;
    try {
      const cells = readCsvRow(this.#decoder.decode(bytes).replace(/\r$/, ""), delimiter);
      return formulas ? cells : cells.map(withoutFormulaQuote);
    } catch {
      return undefined;
    }
  }
}

function parseJson(bytes: Buffer): Parsed {
  let record: unknown;
  try {
    record = JSON.parse(bytes.toString("utf8"));
  } catch {
    return { problem: NOT_JSON };
  }
  // Before anything else reads it: most code that reads values is recursive.
  return isTooDeep(record) ? { problem: TOO_DEEP } : { record };
}
