import type { ThreadKind, Threads } from "../../../runtime/threads/threads.js";
import type { CompressedChunk } from "../read-compressed.js";
import type { ImportReading } from "../read-entries.js";
import { type ImportThreadCalls, importErrors, receiveChunk } from "./thread-messages.js";

export interface ReadingThreadOptions extends Pick<ThreadKind, "start" | "execArgv"> {
  threads: Threads;
  signal: AbortSignal;
}

// Records die young: they are compressed as soon as their chunk is complete.
const KIND = {
  name: "import",
  limits: { maxYoungGenerationSizeMb: 24, maxOldGenerationSizeMb: 256 },
  errors: importErrors,
};

/** So many chunks are read before the first of them is appended. */
const CHUNKS_AHEAD = 2;

/**
 * Reads an import as `readCompressed` does, on a thread of its own. The thread ends with the reading. If it fails, nothing is
 * lost: the job goes on after the last chunk that was appended.
 */
export async function* readOnThread(
  reading: ImportReading,
  { threads, signal, ...program }: ReadingThreadOptions,
): AsyncGenerator<CompressedChunk> {
  signal.throwIfAborted();
  const thread = threads.start<ImportThreadCalls>({ ...KIND, ...program }, { data: reading });
  const end = () => void thread.end();
  signal.addEventListener("abort", end, { once: true });
  const ask = () => {
    const next = thread.calls.ask("next", []);
    // The loop below meets the first error. Without this, Node would report the calls after it as unhandled.
    next.catch(() => undefined);
    return next;
  };
  try {
    const ahead = Array.from({ length: CHUNKS_AHEAD }, ask);
    for (let next = ahead.shift(); next; next = ahead.shift()) {
      const chunk = await next;
      if (!chunk) return;
      yield receiveChunk(chunk);
      ahead.push(ask());
    }
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    signal.removeEventListener("abort", end);
    await thread.end();
  }
}
