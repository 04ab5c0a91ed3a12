import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import { createGunzip } from "node:zlib";
import { foreignFile, isGzip } from "@muster/protocol";
import { JobFailure } from "../runner/job-failure.js";
import { createRecordSplitter, IncompleteFile, type RawRecord, type RecordSplitter } from "./record-splitter.js";

/** Some records of a file. The same file is cut into the same chunks every time. */
export interface Chunk {
  /** How many records of the file come before this chunk. */
  start: number;
  records: RawRecord[];
  /** How much of the file was read so far. */
  bytesRead: number;
}

export interface ChunkLimits {
  records: number;
  bytes: number;
  recordBytes: number;
}

// A chunk of bytes is split without a pause, and may contain many tiny records.
const READ_BYTES = 64 * 1024;

/**
 * Reads a file chunk by chunk, without its first `skip` records. The first bytes say whether the file is compressed
 * with gzip; its name is not considered.
 */
export async function* readChunks(
  path: string,
  skip: number,
  limits: ChunkLimits,
  signal: AbortSignal | undefined,
  splitter: RecordSplitter = createRecordSplitter(limits.recordBytes),
): AsyncGenerator<Chunk> {
  const isCompressed = await isCompressedFile(path);
  const file = createReadStream(path, { highWaterMark: READ_BYTES, signal });
  const content = isCompressed ? file.pipe(createGunzip({ chunkSize: READ_BYTES })) : file;
  // `pipe` does not pass on the errors of its source. There must be no await before this line: an error
  // without a listener ends the process.
  file.on("error", (error) => content.destroy(error));

  const chunker = new Chunker(limits, skip);
  let isFirst = true;
  try {
    for await (const piece of content) {
      if (isFirst) requireReadable(piece as Buffer);
      isFirst = false;
      for (const chunk of chunker.add(splitter.push(piece as Buffer))) yield { ...chunk, bytesRead: file.bytesRead };
    }
    for (const chunk of chunker.add(splitter.end())) yield { ...chunk, bytesRead: file.bytesRead };
  } catch (error) {
    throw explain(error);
  } finally {
    file.destroy();
    content.destroy();
  }
  for (const chunk of chunker.end()) yield { ...chunk, bytesRead: file.bytesRead };
}

/** Groups records into chunks. The chunks do not depend on the sizes in which the file was read. */
class Chunker {
  readonly #limits: ChunkLimits;
  readonly #skip: number;
  #seen = 0;
  #records: RawRecord[] = [];
  #bytes = 0;

  constructor(limits: ChunkLimits, skip: number) {
    this.#limits = limits;
    this.#skip = skip;
  }

  *add(records: readonly RawRecord[]): Generator<Omit<Chunk, "bytesRead">> {
    for (const record of records) {
      this.#seen += 1;
      if (this.#seen <= this.#skip) continue;
      this.#records.push(record);
      this.#bytes += record.bytes?.length ?? 0;
      if (this.#records.length >= this.#limits.records || this.#bytes >= this.#limits.bytes) yield* this.end();
    }
  }

  *end(): Generator<Omit<Chunk, "bytesRead">> {
    if (this.#records.length === 0) return;
    const chunk = { start: this.#seen - this.#records.length, records: this.#records };
    this.#records = [];
    this.#bytes = 0;
    yield chunk;
  }
}

export async function isCompressedFile(path: string): Promise<boolean> {
  const file = await open(path);
  try {
    const head = Buffer.alloc(2);
    await file.read(head, 0, head.length, 0);
    return isGzip(head);
  } finally {
    await file.close();
  }
}

/** A file of another format would be refused row by row, with reasons that hide what is wrong. */
function requireReadable(beginning: Buffer): void {
  const foreign = foreignFile(beginning);
  if (foreign !== undefined) throw new JobFailure(whyForeign(foreign));
}

export function whyForeign(what: string): string {
  return `The file is ${what}. An import reads JSON (one object a line, or an array) and CSV, in UTF-8, plain or compressed with gzip.`;
}

function explain(error: unknown): unknown {
  if (error instanceof IncompleteFile) return new JobFailure(error.message, { cause: error });
  const { code, message } = error as NodeJS.ErrnoException;
  if (code?.startsWith("Z_")) return new JobFailure(`The file does not decompress: ${message}.`, { cause: error });
  return error;
}
