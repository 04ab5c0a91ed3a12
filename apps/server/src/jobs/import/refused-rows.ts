import { type FileHandle, open } from "node:fs/promises";
import { isTooDeep } from "../../domain/entries/unusable-json.js";
import { csvCell, readCsvRow } from "../../domain/jobs/csv.js";
import type { Job } from "../../domain/jobs/job.js";
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
        const reason = await reasons.of(record.line);
        if (reason !== undefined) {
          lines.push(csv ? csvLine(record, reason, csv.delimiter, width) : jsonLine(record, reason));
        }
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

  async of(line: number): Promise<string | undefined> {
    const messages: string[] = [];
    for (;;) {
      const next = await this.#next();
      if (!next || next.line > line) break;
      this.#at += 1;
      if (next.line === line) messages.push(next.message);
    }
    return messages.length === 0 ? undefined : messages.join(" ");
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
function csvLine({ bytes }: RawRecord, reason: string, delimiter: string, width: number): string {
  const row = rowText(bytes);
  const missing = Math.max(0, width - readCsvRow(row, delimiter).length);
  return `${row}${delimiter.repeat(missing + 1)}${csvCell(reason, delimiter)}${LINE_END}`;
}

function jsonLine({ line, bytes }: RawRecord, reason: string): string {
  return `${JSON.stringify({ line, reason, record: recordOf(bytes) })}\n`;
}

function rowText(bytes: Buffer | undefined): string {
  return (bytes?.toString("utf8") ?? "").replace(/\r$/, "");
}

/** The record, or its text when it is not JSON, or nested so deep that it cannot be written as JSON again. */
function recordOf(bytes: Buffer | undefined): unknown {
  const text = rowText(bytes);
  try {
    const record: unknown = JSON.parse(text);
    return isTooDeep(record) ? text : record;
  } catch {
    return text;
  }
}
