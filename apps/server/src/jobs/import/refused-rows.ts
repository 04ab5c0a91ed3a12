import { type FileHandle, open } from "node:fs/promises";
import { csvCell, readCsvRow } from "../../domain/jobs/csv.js";
import { NOT_JSON, TOO_DEEP } from "../../domain/jobs/import-record.js";
import type { Job } from "../../domain/jobs/job.js";
import { Breather } from "../../runtime/loops/breather.js";
import type { Database } from "../../storage/postgres/database.js";
import { type RejectedLine, readRejectedLines } from "../../storage/postgres/jobs/job-rejections.js";
import type { ImportParameters } from "../parameters/import-parameters.js";
import { CsvSplitter } from "./csv-splitter.js";
import { type ChunkLimits, readChunks } from "./import-chunks.js";
import { createRecordSplitter, type RawRecord } from "./record-splitter.js";

export interface RefusedRowsOptions {
  database: Database;
  job: Job<ImportParameters>;
  /** The file that was imported. */
  source: string;
  /** The file that is written. */
  path: string;
  limits: ChunkLimits;
  signal: AbortSignal;
}

const LINE_END = "\r\n";

/**
 * Writes the refused rows as they are in the imported file, with the reason in one more column, so that a person can mend
 * them and import the new file. A JSON file becomes one object a line, with the record inside. Returns the size of the file.
 */
export async function writeRefusedRows(options: RefusedRowsOptions): Promise<number> {
  const { database, job, source, limits, signal } = options;
  const { csv } = job.parameters;
  const splitter = csv ? new CsvSplitter(limits.recordBytes, csv) : createRecordSplitter(limits.recordBytes);
  const reasons = new ReasonsByLine(readRejectedLines(database, job.organizationId, job.id));
  const breather = new Breather();
  const file = await open(options.path, "w", 0o600);
  try {
    let hasHeader = !csv?.header;
    let width = 0;
    for await (const { records } of readChunks(source, 0, limits, signal, splitter)) {
      const lines: string[] = [];
      if (!hasHeader && splitter instanceof CsvSplitter && csv) {
        const header = rowText(splitter.header);
        width = readCsvRow(header, csv.delimiter).length;
        lines.push(`${header}${csv.delimiter}reason${LINE_END}`);
        hasHeader = true;
      }
      for (const record of records) {
        if (breather.isDue) await breather.pause();
        const found = await reasons.of(record.line);
        if (found.length > 0) lines.push(csv ? csvLine(record, found, csv.delimiter, width) : jsonLine(record, found));
      }
      await append(file, lines);
    }
    await file.datasync();
    return (await file.stat()).size;
  } finally {
    await file.close();
  }
}

/** The reasons of refused lines, which come in the order of the file, as the rows do. */
class ReasonsByLine {
  readonly #pages: AsyncGenerator<RejectedLine[]>;
  #page: RejectedLine[] = [];
  #at = 0;

  constructor(pages: AsyncGenerator<RejectedLine[]>) {
    this.#pages = pages;
  }

  async of(line: number): Promise<string[]> {
    const messages: string[] = [];
    for (;;) {
      const next = await this.#next();
      if (!next || next.line > line) break;
      this.#at += 1;
      if (next.line === line) messages.push(next.message);
    }
    return messages;
  }

  async #next(): Promise<RejectedLine | undefined> {
    if (this.#at >= this.#page.length) {
      const { value } = await this.#pages.next();
      this.#page = value ?? [];
      this.#at = 0;
    }
    return this.#page[this.#at];
  }
}

async function append(file: FileHandle, lines: readonly string[]): Promise<void> {
  if (lines.length > 0) await file.appendFile(lines.join(""));
}

/** The row with its reason. A short row is filled up, so that the reason is in its column. */
function csvLine({ bytes }: RawRecord, reasons: readonly string[], delimiter: string, width: number): string {
  const row = rowText(bytes);
  const missing = Math.max(0, width - readCsvRow(row, delimiter).length);
  return `${row}${delimiter.repeat(missing + 1)}${csvCell(reasons.join(" "), delimiter)}${LINE_END}`;
}

/**
 * The record with its reason. The record is copied and not parsed: parsing one that is wide holds the event loop for long.
 * It is a text when it is not JSON, or nested so deep that a reader of the file may fail.
 */
function jsonLine({ line, bytes }: RawRecord, reasons: readonly string[]): string {
  const text = rowText(bytes);
  const isText = !bytes || reasons.includes(NOT_JSON) || reasons.includes(TOO_DEEP);
  // JSON has line ends only between values.
  const record = isText ? JSON.stringify(text) : text.replaceAll(/[\r\n]+/g, " ");
  return `{"line":${line},"reason":${JSON.stringify(reasons.join(" "))},"record":${record}}\n`;
}

function rowText(bytes: Buffer | undefined): string {
  return (bytes?.toString("utf8") ?? "").replace(/\r$/, "");
}
