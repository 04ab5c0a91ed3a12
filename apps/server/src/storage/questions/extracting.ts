import type { ExtractColumn, TypedColumn } from "../../domain/jobs/extract-columns.js";
import type { Selection } from "./asking.js";

/** The place of a row in the order of an extract, as plain JSON, so that a job can store it. */
export type RowKey = Readonly<Record<string, string | number>>;

/** The rows after one key (or from the first row) up to and including another. */
export interface KeyRange {
  after: RowKey | undefined;
  until: RowKey;
}

/** The segments that an extract lists: those of the target itself, and those of the accounts of users. */
export interface ExtractSegments {
  own: readonly string[];
  account: readonly string[];
}

export interface CsvOptions {
  /** Whether cells that a spreadsheet would run as a formula stay as they are. */
  formulas: boolean;
}

/** Reads all selected rows in ranges of keys, so that an interrupted extract can continue. */
export interface Extracting {
  /** The key of the last row of a target's table; undefined when the table is empty. */
  lastKey(organizationId: string, target: Selection["target"]): Promise<RowKey | undefined>;
  /**
   * The next range after a key; undefined when `until` is reached. All ranges have about the same number of rows. For
   * Parquet, an engine that cannot join files has one range with all rows.
   */
  nextRange(
    organizationId: string,
    target: Selection["target"],
    after: RowKey | undefined,
    until: RowKey,
    format?: "lines" | "parquet",
  ): Promise<KeyRange | undefined>;
  /**
   * Writes the selected rows of a range to a new file as lines of JSON, and returns their number: events as stored, reports
   * with segments and with the user's account.
   */
  writeJsonLines(
    organizationId: string,
    selection: Selection,
    range: KeyRange,
    segments: ExtractSegments,
    path: string,
  ): Promise<number>;
  /**
   * Writes the selected rows of a range to a new file as lines of CSV (RFC 4180), and returns their number. Cells that a
   * spreadsheet would run as a formula get a quote in front, unless formulas are wanted (csv-formulas.ts).
   */
  writeCsvLines(
    organizationId: string,
    selection: Selection,
    range: KeyRange,
    segments: ExtractSegments,
    columns: readonly ExtractColumn[],
    path: string,
    options?: CsvOptions,
  ): Promise<number>;
  /**
   * Writes the selected rows of a range to a new Parquet file with typed columns, and returns their number. Without a range
   * the file has the columns and no rows.
   */
  writeParquet(
    organizationId: string,
    selection: Selection,
    range: KeyRange | undefined,
    segments: ExtractSegments,
    columns: readonly TypedColumn[],
    path: string,
  ): Promise<number>;
  /** Makes one Parquet file of the files of several ranges, which stay. */
  joinParquet(parts: readonly string[], path: string): Promise<void>;
}
