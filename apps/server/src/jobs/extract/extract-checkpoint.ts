import type { RowKey } from "../../storage/questions/extracting.js";

/** How far an extract has come. */
export interface ExtractCheckpoint {
  /** Fixed when the extract begins: rows that are created later are not part of it. */
  until?: RowKey;
  /** The rows up to here are in the file. */
  after?: RowKey;
  bytes?: number;
  rows?: number;
  /** How many files with ranges of a Parquet file are complete. */
  parts?: number;
  /** The file contains no subject that was erased by changes up to this sequence. */
  erasedUntil?: number;
}
