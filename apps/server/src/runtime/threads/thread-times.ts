import { readFileSync, readlinkSync } from "node:fs";
import type { Counter } from "prom-client";

// Linux counts the time of a thread in units of 10 ms, on every architecture that Node runs on.
const TICKS_PER_SECOND = 100;

/** The number by which the system knows the calling thread; undefined on systems other than Linux. */
export function ownThreadId(): number | undefined {
  try {
    return Number(readlinkSync("/proc/thread-self").split("/").pop());
  } catch {
    return undefined;
  }
}

interface NamedThread {
  name: string;
  id: number;
  /** What it has used so far. The time of a thread that has ended stays in the sum. */
  seconds: number;
}

/** Measures how much processor time our own threads have used. Several threads may have one name. */
export class ThreadTimes {
  readonly #threads: NamedThread[] = [];

  /** Counts a thread from now on. It finds its own id with `ownThreadId`. */
  add(name: string, id: number | undefined): void {
    if (id !== undefined) this.#threads.push({ name, id, seconds: 0 });
  }

  /** Sets the counter to what the threads have used until now. */
  measure(counter: Counter<"thread">): void {
    counter.reset();
    for (const thread of this.#threads) {
      thread.seconds = readSeconds(thread.id) ?? thread.seconds;
      counter.inc({ thread: thread.name }, thread.seconds);
    }
  }
}

function readSeconds(id: number): number | undefined {
  try {
    const text = readFileSync(`/proc/self/task/${id}/stat`, "utf8");
    // The name of the thread is in brackets and may have spaces. The 14th and 15th field are the times.
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
  } catch {
    return undefined;
  }
}
