import { receiveParts, type SentParts, sendParts } from "../../../pipeline/accept/threads/sent-parts.js";
import type { Transferred } from "../../../runtime/threads/thread-calls.js";
import { errorKind, ThreadErrors } from "../../../runtime/threads/thread-errors.js";
import { JobFailure } from "../../runner/job-failure.js";
import type { CompressedChunk } from "../read-compressed.js";
import type { ChunkContent } from "../read-entries.js";

/** What the main thread calls on the thread that reads the file of an import. */
export interface ImportThreadCalls {
  /** Reads the next chunk; undefined after the last one. */
  next(): Promise<Transferred<SentChunk> | undefined>;
}

/** A chunk on its way between two threads. */
export interface SentChunk {
  content: ChunkContent;
  sent: SentParts;
}

export function sendChunk({ parts, ...content }: CompressedChunk): SentChunk {
  return { content, sent: sendParts(parts) };
}

/** The chunk that was given to `sendChunk`. */
export function receiveChunk({ content, sent }: SentChunk): CompressedChunk {
  return { ...content, parts: receiveParts(sent) };
}

/** Another attempt would not mend a `JobFailure`, so it stays one. */
export const importErrors = new ThreadErrors([
  errorKind({
    kind: "job failure",
    type: JobFailure,
    encode: ({ message }) => message,
    decode: (message, cause) => new JobFailure(message, cause),
  }),
]);
