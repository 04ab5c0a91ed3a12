import { constants, getPriority, setPriority } from "node:os";

const LOWEST = constants.priority.PRIORITY_LOW;
// A third of the share. Priorities count among all processes of the machine, so the others must not lose too much.
const STEP = 5;

/**
 * Gives the calling thread less of the processors than the main thread when all of them are busy. The main thread answers
 * requests. Without this, a request waits for it as long as for any other thread.
 */
export function letMainThreadGoFirst(): void {
  // On other systems the priority belongs to the whole process.
  if (process.platform !== "linux") return;
  try {
    setPriority(Math.min(LOWEST, getPriority() + STEP));
  } catch {
    // A container may forbid the call. Then all threads have the same priority.
  }
}
