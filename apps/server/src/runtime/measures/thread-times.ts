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
  /** What it has used so far. */
  seconds: number;
}

/** Measures how much processor time our own threads have used. Several threads may have one name. */
export class ThreadTimes {
  readonly #threads = new Set<NamedThread>();
  /** What threads have used that have ended, by name. */
  readonly #ended = new Map<string, number>();

  /**
   * Counts a thread from now on. It finds its own id with `ownThreadId`. Returns a function to call when the thread ends: the
   * system gives its id to another thread afterwards.
   */
  add(name: string, id: number | undefined): () => void {
    if (id === undefined) return () => undefined;
    const thread = { name, id, seconds: 0 };
    this.#threads.add(thread);
    return () => {
      if (!this.#threads.delete(thread)) return;
      readTime(thread);
      this.#ended.set(name, (this.#ended.get(name) ?? 0) + thread.seconds);
    };
  }

  /** Sets the counter to what the threads have used until now. */
  measure(counter: Counter<"thread">): void {
    counter.reset();
    for (const [thread, seconds] of this.#ended) counter.inc({ thread }, seconds);
    for (const thread of this.#threads) {
      readTime(thread);
      counter.inc({ thread: thread.name }, thread.seconds);
    }
  }
}

/** A thread that has ended keeps the time that was read last. */
function readTime(thread: NamedThread): void {
  thread.seconds = readSeconds(thread.id) ?? thread.seconds;
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
