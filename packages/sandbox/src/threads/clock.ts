import { readFileSync, readlinkSync } from "node:fs";

// On a busy machine a script waits more than it runs. It is ended after this many times its processor time.
const WALL_TIME_FACTOR = 10;
// Linux counts the time of a thread in units of 10 ms, on every architecture that Node runs on.
const TICK_MS = 10;
// Asking the system takes 70 µs, and most scripts end sooner than this. What a script uses before does not count.
const FIRST_LOOK_MS = 10;

/** The number by which the system knows the calling thread; undefined on systems other than Linux. */
export function ownSystemId(): number | undefined {
  try {
    return Number(readlinkSync("/proc/thread-self").split("/").pop());
  } catch {
    return undefined;
  }
}

/**
 * Starts a clock for a thread that may use so much processor time. Returns a function that returns how many milliseconds
 * can pass before it must be called again; 0 or less when the time is up. Where the system does not count the time of
 * threads, all time that passes is processor time.
 */
export function startClock(systemId: number | undefined, timeMs: number): () => number {
  const startedAt = performance.now();
  const firstLookMs = Math.min(FIRST_LOOK_MS, timeMs);
  let usedBefore: number | undefined;
  return () => {
    const elapsedMs = performance.now() - startedAt;
    if (elapsedMs < firstLookMs) return firstLookMs - elapsedMs;
    const used = processorTimeMs(systemId);
    if (used === undefined) return timeMs - elapsedMs;
    usedBefore ??= used;
    // A thread uses at most as much processor time as passes, so the system need not be asked sooner.
    return Math.min(timeMs - (used - usedBefore), timeMs * WALL_TIME_FACTOR - elapsedMs);
  };
}

function processorTimeMs(systemId: number | undefined): number | undefined {
  if (systemId === undefined) return undefined;
  try {
    const text = readFileSync(`/proc/self/task/${systemId}/stat`, "utf8");
    // The name of the thread is in brackets and may have spaces. The 14th and 15th field are the times.
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
  } catch {
    return undefined;
  }
}
