import { createInterface } from "node:readline";
import { pipeline, Readable } from "node:stream";
import { isObject, parseJson, reasonOf } from "@muster/protocol";
import { parse } from "csv-parse";
import { RequestError } from "../errors/request-error.js";
import { TransientError } from "../errors/transient-error.js";

export type ExtractedRecord = Record<string, unknown>;

export interface HandleExtractOptions {
  /** The body of Muster's call, which holds the address of the file. */
  body: unknown;
  /** The largest number of records that the handler gets at once. Default 100. */
  batchSize?: number;
  handler(records: ExtractedRecord[]): unknown;
  /** Called when the download has begun, before the first record is read. */
  onResponse?(response: Response): void;
  /** Called once when the extract cannot be fetched, read or handled; the promise rejects with the same error. */
  onError?(error: Error): void;
}

/** Where the platform has a file; undefined when the address is not the platform's. */
type Locate = (url: string) => string | undefined;

/**
 * Reads the file of an extract batch by batch. The next batch is read when the handler has finished the last one. The
 * caller chooses the address, so it is fetched only when `locate` finds it at the platform.
 */
export async function handleExtract(locate: Locate, options: HandleExtractOptions): Promise<void> {
  try {
    await readInBatches(locate, options);
  } catch (error) {
    options.onError?.(error instanceof Error ? error : new Error(reasonOf(error), { cause: error }));
    throw error;
  }
}

async function readInBatches(
  locate: Locate,
  { body, batchSize = 100, handler, onResponse }: HandleExtractOptions,
): Promise<void> {
  if (!Number.isInteger(batchSize) || batchSize < 1) {
    throw new Error(`The option \`batchSize\` must be a whole number of at least 1, not ${batchSize}.`);
  }
  const { url, format } = readLocation(body, locate);
  const response = await download(url);
  onResponse?.(response);
  const file = Readable.from(bytesOf(response), { objectMode: false });
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

/** The address and format of an extract's file. Throws unless it is on a host of the organization's platform. */
export function readLocation(body: unknown, locate: Locate): { url: string; format: string } {
  const { url, format } = isObject(body) ? body : {};
  if (typeof url !== "string" || !/^https?:/.test(url)) throw new Error("The extract has no `url` to fetch.");
  const located = locate(url);
  if (located === undefined) {
    throw new RequestError(400, "foreign_extract", "The file of the extract is not on a host of the organization.");
  }
  return { url: located, format: typeof format === "string" ? format : "json" };
}

async function download(url: string): Promise<Response> {
  const response = await fetch(url, { redirect: "error" }).catch((cause: unknown) => {
    throw new TransientError("The extract cannot be fetched.", { cause });
  });
  if (response.ok) return response;
  await response.body?.cancel();
  throw new TransientError(`The extract cannot be fetched: its address answered with status ${response.status}.`);
}

async function* bytesOf({ body }: Response): AsyncGenerator<Uint8Array> {
  try {
    yield* body ?? [];
  } catch (cause) {
    throw new TransientError("The download of the extract broke off.", { cause });
  }
}

function readCsv(file: Readable): AsyncIterable<ExtractedRecord> {
  // An error of the file ends the parser too, and with it the loop over the records.
  return pipeline(file, parse({ columns: true, bom: true }), () => {});
}

async function* readLines(file: Readable): AsyncGenerator<ExtractedRecord> {
  for await (const line of createInterface({ input: file, crlfDelay: Number.POSITIVE_INFINITY })) {
    if (line.trim() === "") continue;
    const record = parseJson(line);
    if (!isObject(record)) throw new Error("A line of the extract is not a JSON object.");
    yield record;
  }
}
