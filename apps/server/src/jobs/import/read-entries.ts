import { reasonOf } from "@muster/protocol";
import type { Entry } from "../../domain/entries/entry.js";
import { ImportReader, type ImportRules } from "../../domain/jobs/import-record.js";
import { Breather } from "../../runtime/loops/breather.js";
import type { RejectedLine } from "../../storage/postgres/jobs/job-rejections.js";
import { type ChunkLimits, readChunks } from "./import-chunks.js";
import { type RecordFormat, RecordParser } from "./record-parser.js";

/** What is read from the file of an import, and how. It is plain data, so that it can be sent to another thread. */
export interface ImportReading {
  path: string;
  /** How many records are left out, because they were read before. */
  skip: number;
  limits: ChunkLimits;
  format: RecordFormat;
  rules: ImportRules;
}

/** What was found in a chunk of the file. */
export interface ChunkContent {
  /** How many records of the file come before this chunk. */
  start: number;
  /** How many records it has. */
  records: number;
  /** How much of the file was read so far. */
  bytesRead: number;
  rejected: RejectedLine[];
}

/** Reads the entries of an import, chunk by chunk. */
export async function* readEntries(
  { path, skip, limits, format, rules }: ImportReading,
  signal?: AbortSignal,
): AsyncGenerator<ChunkContent & { entries: Entry[] }> {
  const parser = new RecordParser(limits.recordBytes, format);
  const reader = new ImportReader(rules);
  const breather = new Breather();
  for await (const { start, records, bytesRead } of readChunks(path, skip, limits, signal, parser.splitter)) {
    const entries: Entry[] = [];
    const rejected: RejectedLine[] = [];
    for (const { line, bytes } of records) {
      if (breather.isDue) await breather.pause();
      const read = bytes
        ? readRecord(bytes, line, parser, reader)
        : `The record is longer than ${limits.recordBytes} bytes.`;
      if (typeof read === "string") rejected.push({ line, code: "invalid_entry", message: read });
      else for (const entry of read) entries.push(entry);
    }
    yield { start, records: records.length, bytesRead, rejected, entries };
  }
}

function readRecord(bytes: Buffer, line: number, parser: RecordParser, reader: ImportReader): Entry[] | string {
  try {
    const parsed = parser.parse(bytes);
    return "problem" in parsed ? parsed.problem : reader.read(parsed.record, line);
  } catch (cause) {
    // An error of ours. The import fails after a few attempts, and people must find the row.
    throw new Error(`Row ${line} cannot be read: ${reasonOf(cause)}`, { cause });
  }
}
