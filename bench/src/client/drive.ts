import { setImmediate } from "node:timers/promises";
import { secondsSince } from "../lib/seconds-since.js";
import { LIBRARIES } from "./libraries.js";

/** The result of driving one library. This module is a process of its own: `drive.js NAME PORT CALLS`. */
export interface DriveResult {
  /** Calls made, those of the warm-up included. */
  made: number;
  /** Seconds the calls after the warm-up took. */
  seconds: number;
  /** Seconds of processor time, all threads. */
  cpuSeconds: number;
}

// A server tracks a few calls in one turn of the event loop. A burst is a multiple of every library's batch size, because
// one of them leaves a last partial batch to its timer when it is flushed while it sends other batches.
const CALLS_A_TURN = 100;
const CALLS_A_BURST = 9_000;

const [name = "", port = "", calls = ""] = process.argv.slice(2);
const open = LIBRARIES[name];
if (!open) throw new Error(`There is no library "${name}" here.`);
const library = await open({ host: "127.0.0.1", port: Number(port) });

async function drive(from: number, to: number): Promise<void> {
  for (let n = from; n < to; n += 1) {
    library.track(n);
    if (n % CALLS_A_TURN === CALLS_A_TURN - 1) await setImmediate();
    if (n % CALLS_A_BURST === CALLS_A_BURST - 1) await library.flush();
  }
  await library.flush();
}

// The first burst is not measured: the compiler optimizes the code meanwhile.
const measured = Number(calls);
const made = CALLS_A_BURST + measured;
await drive(0, CALLS_A_BURST);
const started = performance.now();
const cpuBefore = process.cpuUsage();
await drive(CALLS_A_BURST, made);
const seconds = secondsSince(started);
const { user, system } = process.cpuUsage(cpuBefore);
const result: DriveResult = { made, seconds, cpuSeconds: (user + system) / 1_000_000 };
process.send?.(result, () => process.exit());
