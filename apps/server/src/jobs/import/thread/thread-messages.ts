import type { SentParts } from "../../../pipeline/accept/threads/sent-parts.js";
import type { ChunkContent } from "../read-entries.js";

/** What the thread of an import sends. Each chunk is answered with a message, which allows one more chunk. */
export type ReadingMessage =
  | { kind: "chunk"; content: ChunkContent; sent: SentParts }
  | { kind: "end" }
  /** Another attempt would not mend it. */
  | { kind: "failure"; message: string }
  /** An error that another attempt may mend, with its stack. */
  | { kind: "fault"; stack: string };

/** So many chunks are read before the first of them is appended. */
export const CHUNKS_AHEAD = 2;
