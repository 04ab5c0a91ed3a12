import { availableParallelism } from "node:os";
import { isBuilt, type Threads } from "../../runtime/threads/threads.js";
import { isCompressedFile } from "./import-chunks.js";
import { type CompressedChunk, readCompressed } from "./read-compressed.js";
import type { ImportReading } from "./read-entries.js";
import { readOnThread } from "./thread/read-on-thread.js";

export interface ReadImportOptions {
  /** The size of the file. */
  bytes: number;
  signal: AbortSignal;
  threads: Threads;
}

const START = new URL("./thread/import-thread.js", import.meta.url);
// A smaller file is read in less time than a thread needs to start, and holds the event loop for a few milliseconds.
const THREAD_FROM_BYTES = 128 * 1024;

/** Reads an import: a large or compressed file on a thread of its own, so that the main thread has time for requests. */
export async function* readImport(
  reading: ImportReading,
  { bytes, signal, threads }: ReadImportOptions,
): AsyncGenerator<CompressedChunk> {
  // The size of a compressed file does not tell how much is in it.
  const isLarge = bytes >= THREAD_FROM_BYTES || (await isCompressedFile(reading.path));
  const hasThread = isLarge && availableParallelism() > 1 && isBuilt(START);
  yield* hasThread ? readOnThread(reading, { threads, signal, start: START }) : readCompressed(reading, signal);
}
