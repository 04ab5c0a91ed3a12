import { on } from "node:events";
import { Worker } from "node:worker_threads";
import { receiveParts } from "../../../pipeline/accept/threads/sent-parts.js";
import { JobFailure } from "../../runner/job-failure.js";
import type { ImportReading } from "../read-entries.js";
import type { PackedChunk } from "../read-packed.js";
import type { ReadingMessage } from "./thread-messages.js";

export interface ReadingThreadOptions {
  /** The built file that the thread runs. */
  start: URL;
  /** Options of Node for the thread. By default it has those of the process. */
  execArgv?: string[];
}

// Records die young: they are packed as soon as their chunk is complete.
const RESOURCE_LIMITS = { maxYoungGenerationSizeMb: 24, maxOldGenerationSizeMb: 256 };

/**
 * Reads an import as `readPacked` does, on a thread of its own. The thread ends with the reading. If it fails, nothing is
 * lost: the job goes on after the last chunk that was appended.
 */
export async function* readOnThread(
  reading: ImportReading,
  signal: AbortSignal,
  { start, execArgv }: ReadingThreadOptions,
): AsyncGenerator<PackedChunk> {
  signal.throwIfAborted();
  const options = { name: "import", workerData: reading, resourceLimits: RESOURCE_LIMITS };
  const worker = new Worker(start, { ...options, ...(execArgv ? { execArgv } : {}) });
  // An error is thrown by the loop below. One that comes after the loop changes nothing, and must not end the process.
  worker.on("error", () => undefined);
  try {
    for await (const [message] of on(worker, "message", { signal, close: ["exit"] })) {
      // Only `import-thread.ts` sends messages here.
      const read = message as ReadingMessage;
      if (read.kind === "end") return;
      if (read.kind === "failure") throw new JobFailure(read.message);
      if (read.kind === "fault") {
        throw Object.assign(new Error("The file of an import could not be read."), { stack: read.stack });
      }
      yield { ...read.content, parts: receiveParts(read.sent) };
      worker.postMessage("next");
    }
    throw new Error("The thread that reads the file of an import has ended.");
  } finally {
    await worker.terminate();
  }
}
