import { readFileSync } from "node:fs";

/**
 * Measures how long the event loop of its process was held. The benchmark loads this module into the server before the
 * server's own, and asks for the longest hold over the channel between the two processes.
 */

/** Begins a new measurement (`reset`), or asks for the longest hold since then (`read`). */
export type WatchOrder = "reset" | "read";

export interface WatchReport {
  longestHoldMs: number;
}

const BEAT_MS = 2;
let last = { at: performance.now(), waitedMs: waitedMs() };
let longestHoldMs = 0;

setInterval(beat, BEAT_MS).unref();

process.on("message", (order: WatchOrder) => {
  beat();
  if (order === "reset") longestHoldMs = 0;
  process.send?.({ longestHoldMs } satisfies WatchReport);
});
// The channel must not keep the server alive.
process.channel?.unref();

function beat(): void {
  const now = { at: performance.now(), waitedMs: waitedMs() };
  // The time in which the thread could run and other processes had the processor is not the server's.
  const heldMs = now.at - last.at - BEAT_MS - (now.waitedMs - last.waitedMs);
  longestHoldMs = Math.max(longestHoldMs, heldMs);
  last = now;
}

/** How long the main thread has waited for a processor. Only Linux tells; elsewhere the waiting counts as a hold. */
function waitedMs(): number {
  if (process.platform !== "linux") return 0;
  // The id of the main thread is the id of the process.
  const [, waitedNs] = readFileSync(`/proc/self/task/${process.pid}/schedstat`, "utf8").split(" ");
  return Number(waitedNs) / 1e6;
}
