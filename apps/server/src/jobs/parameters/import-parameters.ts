import type { ColumnMapping } from "../../domain/jobs/column-mapping.js";
import type { CsvFormat } from "../../domain/jobs/csv.js";

/** The request for an import, as its job stores it. */
export interface ImportParameters {
  /** Where the file is: an http(s) address, or `upload:` and the id of an upload. Null once the address is sealed. */
  url: string | null;
  overwrite: boolean;
  notify: boolean;
  emitEvent: boolean;
  traits: Record<string, unknown>;
  /** Count what would happen, and change nothing. */
  dryRun: boolean;
  /** How a CSV file is read; left out for JSON. */
  csv?: CsvFormat | undefined;
  /** What becomes of each column; left out: columns keep their names. */
  columns?: ColumnMapping[] | undefined;
}

const UPLOAD = /^upload:([0-9a-f]{32})$/;

/** The id of the upload that an address of an import names; undefined when the address is a web address. */
export function uploadOf(url: string): string | undefined {
  return UPLOAD.exec(url)?.[1];
}

export function uploadAddress(id: string): string {
  return `upload:${id}`;
}
