import { once } from "node:events";
import { parentPort, workerData } from "node:worker_threads";
import { sendParts } from "../../../pipeline/accept/threads/sent-parts.js";
import { letMainThreadGoFirst } from "../../../runtime/threads/let-main-thread-go-first.js";
import { JobFailure } from "../../runner/job-failure.js";
import type { ImportReading } from "../read-entries.js";
import { readPacked } from "../read-packed.js";
import { CHUNKS_AHEAD, type ReadingMessage } from "./thread-messages.js";

// This file is the start of the thread that reads the file of one import.

letMainThreadGoFirst();
// A thread always has the port of its parent.
const port = parentPort!;
let allowed = CHUNKS_AHEAD;
port.on("message", () => {
  allowed += 1;
});

async function readAll(): Promise<ReadingMessage> {
  try {
    // The parent gives the reading when it starts the thread.
    for await (const { parts, ...content } of readPacked(workerData as ImportReading)) {
      while (allowed === 0) await once(port, "message");
      allowed -= 1;
      const sent = sendParts(parts);
      port.postMessage({ kind: "chunk", content, sent } satisfies ReadingMessage, [sent.rows.buffer as ArrayBuffer]);
    }
    return { kind: "end" };
  } catch (error) {
    if (error instanceof JobFailure) return { kind: "failure", message: error.message };
    return { kind: "fault", stack: String((error as Error).stack ?? error) };
  }
}

port.postMessage(await readAll());
port.close();
