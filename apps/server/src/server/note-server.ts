import type { Logger } from "pino";
import { removeServerNote, type ServerNote, writeServerNote } from "../runtime/disk/server-note.js";

/** Tells the `muster` command on this machine where the server listens. Returns what takes the note back. */
export async function noteServer(dataDir: string, note: ServerNote, logger: Logger): Promise<() => Promise<void>> {
  try {
    await writeServerNote(dataDir, note);
    return () => removeServerNote(dataDir);
  } catch (error) {
    // The server works without it, for example when the disk is full. A note of an earlier start proves nothing.
    logger.warn({ err: error }, "the muster command cannot be told where this server is");
    return async () => {};
  }
}
