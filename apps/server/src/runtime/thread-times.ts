import { readFileSync, readlinkSync } from "node:fs";
import { Counter, type Registry } from "prom-client";

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

/** Shows how much processor time each of our own threads has used. Several threads may have one name. */
export class ThreadTimes {
  readonly #threads: NamedThread[] = [];

  constructor(registers: Registry[]) {
    const threads = this.#threads;
    new Counter({
      name: "muster_thread_cpu_seconds_total",
      help: "Processor time of the threads that run our code: main, pipeline, admission. Only on Linux.",
      labelNames: ["thread"],
      registers,
      collect() {
        this.reset();
        for (const thread of threads) {
          thread.seconds = readSeconds(thread.id) ?? thread.seconds;
          this.inc({ thread: thread.name }, thread.seconds);
        }
      },
    });
  }

  /** Counts a thread from now on. It finds its own id with `ownThreadId`. */
  add(name: string, id: number | undefined): void {
    if (id !== undefined) this.#threads.push({ name, id, seconds: 0 });
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
