import { enterThread } from "../../../runtime/threads/enter-thread.js";
import { Transferred } from "../../../runtime/threads/thread-calls.js";
import { readCompressed } from "../read-compressed.js";
import type { ImportReading } from "../read-entries.js";
import { type ImportThreadCalls, importErrors, sendChunk } from "./thread-messages.js";

// This file is the start of the thread that reads the file of one import.

const { data } = enterThread<ImportThreadCalls, ImportReading>(
  {
    async next() {
      // Calls that come before the answer to an earlier one wait for their turn.
      const { done, value } = await chunks.next();
      if (done) return undefined;
      const chunk = sendChunk(value);
      return new Transferred(chunk, [chunk.sent.rows.buffer as ArrayBuffer]);
    },
  },
  importErrors,
);
const chunks = readCompressed(data);
