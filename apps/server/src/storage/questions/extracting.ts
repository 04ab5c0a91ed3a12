import type { ExtractColumn } from "../../domain/bulk/extract-columns.js";
import type { Selection } from "./asking.js";

/** Where a row stands in the order that extracts follow: plain JSON, so that a job can store it. */
export type RowKey = Readonly<Record<string, string | number>>;

/** The rows after one key (from the start, when there is none) up to another. */
export interface KeyRange {
  after: RowKey | undefined;
  until: RowKey;
}

/** Segments whose members are told in an extract: of the target itself, and of the accounts of users. */
export interface ExtractSegments {
  own: readonly string[];
  account: readonly string[];
}

/** Everything that is selected, range by range of keys, so that an interrupted extract goes on where it was. */
export interface Extracting {
  /** The key of the last row of an target's table; undefined when there is none. */
  lastKey(organizationId: string, target: Selection["target"]): Promise<RowKey | undefined>;
  /** The next range after a key, of about equally many rows each; undefined when `until` is reached. */
  nextRange(
    organizationId: string,
    target: Selection["target"],
    after: RowKey | undefined,
    until: RowKey,
  ): Promise<KeyRange | undefined>;
  /** The selected rows of a range as lines of JSON: reports with their segments and, of users, their account; events as stored. */
  jsonLines(
    organizationId: string,
    selection: Selection,
    range: KeyRange,
    segments: ExtractSegments,
  ): AsyncIterable<Uint8Array>;
  /** The selected rows of a range as lines of CSV (RFC 4180). */
  csvLines(
    organizationId: string,
    selection: Selection,
    range: KeyRange,
    segments: ExtractSegments,
    columns: readonly ExtractColumn[],
  ): AsyncIterable<Uint8Array>;
}
