import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import type { ReadableStream } from "node:stream/web";
import { isObject, parseJson } from "@muster/protocol";
import { parse } from "csv-parse";
import { TransientError } from "../errors/transient-error.js";

export type ExtractedRecord = Record<string, unknown>;

export interface HandleExtractOptions {
  /** The body of the call that told where the file is. */
  body: unknown;
  /** Default 100. */
  batchSize?: number;
  handler(records: ExtractedRecord[]): unknown;
  /** Called once the file is there, before its first record is read. */
  onResponse?(response: Response): void;
  /** Called when the file cannot be fetched; the promise rejects as well. */
  onError?(error: Error): void;
}

/** Reads the file of an extract, one batch at a time: the next is read once the handler is done with the last. */
export async function handleExtract(options: HandleExtractOptions): Promise<void> {
  const { batchSize = 100, handler, onResponse, onError } = options;
  const { url, format } = readLocation(options.body);
  const response = await download(url).catch((error: Error) => {
    onError?.(error);
    throw error;
  });
  onResponse?.(response);
  // The DOM's type of streams and Node's differ in name only.
  const file = Readable.fromWeb((response.body ?? new Blob([]).stream()) as ReadableStream);
  let batch: ExtractedRecord[] = [];
  for await (const record of format === "csv" ? readCsv(file) : readLines(file)) {
    batch.push(record);
    if (batch.length < batchSize) continue;
    await handler(batch);
    batch = [];
  }
  if (batch.length > 0) await handler(batch);
}

/** Tells the body of an extract's call from others. */
export function isExtractBody(body: unknown): boolean {
  return isObject(body) && typeof body.url === "string" && typeof body.format === "string";
}

function readLocation(body: unknown): { url: string; format: string } {
  const { url, format } = isObject(body) ? body : {};
  if (typeof url !== "string" || !/^https?:/.test(url)) throw new Error("The extract has no `url` to fetch.");
  return { url, format: typeof format === "string" ? format : "json" };
}

async function download(url: string): Promise<Response> {
  const response = await fetch(url).catch((cause: unknown) => {
    throw new TransientError("The extract cannot be fetched.", { cause });
  });
  if (response.ok) return response;
  await response.body?.cancel();
  throw new TransientError(`The extract cannot be fetched: its address answered with status ${response.status}.`);
}

function readCsv(file: Readable): AsyncIterable<ExtractedRecord> {
  return file.pipe(parse({ columns: true, bom: true }));
}

async function* readLines(file: Readable): AsyncGenerator<ExtractedRecord> {
  for await (const line of createInterface({ input: file, crlfDelay: Number.POSITIVE_INFINITY })) {
    if (line.trim() === "") continue;
    const record = parseJson(line);
    if (!isObject(record)) throw new Error("A line of the extract is not a JSON object.");
    yield record;
  }
}
