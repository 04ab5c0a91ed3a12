import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import type { ReadableStream } from "node:stream/web";
import { isObject, parseJson } from "@muster/protocol";
import { parse } from "csv-parse";
import { RequestError } from "../errors/request-error.js";
import { TransientError } from "../errors/transient-error.js";

export type ExtractedRecord = Record<string, unknown>;

export interface HandleExtractOptions {
  /** The body of Muster's call, which holds the address of the file. */
  body: unknown;
  /** Default 100. */
  batchSize?: number;
  handler(records: ExtractedRecord[]): unknown;
  /** Called when the download has begun, before the first record is read. */
  onResponse?(response: Response): void;
  /** Called when the file cannot be fetched; the promise rejects too. */
  onError?(error: Error): void;
}

/**
 * Reads the file of an extract batch by batch. The next batch is read when the handler has finished the last one. The
 * caller chooses the address, so it is fetched only when `isTrusted` says that it belongs to the platform.
 */
export async function handleExtract(isTrusted: (url: string) => boolean, options: HandleExtractOptions): Promise<void> {
  const { batchSize = 100, handler, onResponse, onError } = options;
  const { url, format } = readLocation(options.body, isTrusted);
  const response = await download(url).catch((error: Error) => {
    onError?.(error);
    throw error;
  });
  onResponse?.(response);
  // The stream type of `fetch` and Node's own describe the same class.
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

/** Whether a body is that of a call about an extract. */
export function isExtractBody(body: unknown): boolean {
  return isObject(body) && typeof body.url === "string" && typeof body.format === "string";
}

/** Where the file of an extract is. Throws when that is not on a host of the organization's platform. */
export function readLocation(body: unknown, isTrusted: (url: string) => boolean): { url: string; format: string } {
  const { url, format } = isObject(body) ? body : {};
  if (typeof url !== "string" || !/^https?:/.test(url)) throw new Error("The extract has no `url` to fetch.");
  if (!isTrusted(url)) {
    throw new RequestError(400, "foreign_extract", "The file of the extract is not on a host of the organization.");
  }
  return { url, format: typeof format === "string" ? format : "json" };
}

async function download(url: string): Promise<Response> {
  const response = await fetch(url, { redirect: "error" }).catch((cause: unknown) => {
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
