import { existsSync } from "node:fs";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import type { ImportReading } from "./read-entries.js";
import { type PackedChunk, readPacked } from "./read-packed.js";
import { readOnThread } from "./thread/read-on-thread.js";

const START = new URL("./thread/import-thread.js", import.meta.url);
// A smaller file is read in less time than a thread needs to start.
const THREAD_FROM_BYTES = 2 * 1024 * 1024;

/** Reads an import: a large file on a thread of its own, so that the main thread has time for requests. */
export function readImport(reading: ImportReading, bytes: number, signal: AbortSignal): AsyncGenerator<PackedChunk> {
  // The sources have no file that a thread could run.
  const hasThread = bytes >= THREAD_FROM_BYTES && availableParallelism() > 1 && existsSync(fileURLToPath(START));
  return hasThread ? readOnThread(reading, signal, { start: START }) : readPacked(reading, signal);
}
