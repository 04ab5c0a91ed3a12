import { readFileSync, readlinkSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { isMainThread } from "node:worker_threads";

/**
 * Measures how long the event loop of each thread was held. The benchmark loads this module into every thread of the server
 * before the server's own code. Each thread writes its longest hold to a file of its own.
 */

const BEAT_MS = 5;
const WRITE_EVERY_MS = 1_000;
const folder = process.env.WATCH_THREADS_FOLDER;
const [, task = ""] = readlinkSync("/proc/thread-self").split("task/");
const name = isMainThread ? "main" : basename(process.argv[1] ?? "", ".js");

let last = { at: performance.now(), waitedMs: waitedMs() };
let longestHoldMs = 0;

if (folder) {
  setInterval(beat, BEAT_MS).unref();
  setInterval(() => writeFileSync(join(folder, `${name} ${task}`), String(longestHoldMs)), WRITE_EVERY_MS).unref();
}

function beat(): void {
  const now = { at: performance.now(), waitedMs: waitedMs() };
  // The time in which the thread could run and others had the processor is not its own.
  longestHoldMs = Math.max(longestHoldMs, now.at - last.at - BEAT_MS - (now.waitedMs - last.waitedMs));
  last = now;
}

/** How long this thread has waited for a processor. */
function waitedMs(): number {
  const [, waitedNs] = readFileSync(`/proc/self/task/${task}/schedstat`, "utf8").split(" ");
  return Number(waitedNs) / 1e6;
}
