import { availableParallelism } from "node:os";
import { isBuilt, type Threads } from "../../runtime/threads/threads.js";
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
// A smaller file is read in less time than a thread needs to start.
const THREAD_FROM_BYTES = 2 * 1024 * 1024;

/** Reads an import: a large file on a thread of its own, so that the main thread has time for requests. */
export function readImport(
  reading: ImportReading,
  { bytes, signal, threads }: ReadImportOptions,
): AsyncGenerator<CompressedChunk> {
  const hasThread = bytes >= THREAD_FROM_BYTES && availableParallelism() > 1 && isBuilt(START);
  return hasThread ? readOnThread(reading, { threads, signal, start: START }) : readCompressed(reading, signal);
}
