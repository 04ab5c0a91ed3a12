import { PostgresLedger } from "./postgres-ledger.js";
import { kindOfProcess } from "./process-kind.js";
import { readOwnCpuMs, readThreadCpuMs, readTitle, treeOf } from "./process-tree.js";
import { type MetricSample, readMetrics, sumOf } from "./read-metrics.js";

/** Where the processor time of a server and its PostgreSQL goes, in the order of the tables. */
export const CPU_PARTS = [
  "main thread",
  "pipeline thread",
  "question thread",
  "admission threads",
  "other threads of the server",
  "PostgreSQL backends",
  "PostgreSQL's background",
] as const;

export type CpuPart = (typeof CPU_PARTS)[number];
export type CpuParts = Record<CpuPart, number>;
type Thread = Exclude<CpuPart, "PostgreSQL backends" | "PostgreSQL's background">;
type Threads = Record<Thread, number>;

/** The metric with the processor time of each JavaScript thread. */
const THREAD_METRIC = "muster_thread_cpu_seconds_total";

export interface CpuWatch {
  /** Ends the watch. Returns the processor time that each part has used since its start, in milliseconds. */
  stop(): Promise<CpuParts>;
}

const WATCH_EVERY_MS = 500;

/** Watches the processor time of a server and its PostgreSQL. Linux only. */
export async function watchCpu({ pid, url }: { pid: number; url: string }): Promise<CpuWatch> {
  const readThreads = async () =>
    divideThreads(readOwnCpuMs(pid).ownMs, readThreadCpuMs(pid, pid), await readMetrics({ url }));
  const ledger = new PostgresLedger();
  const note = () =>
    ledger.note(
      treeOf(pid)
        .filter((child) => child !== pid)
        .map((child) => ({ pid: child, kind: kindOfProcess(readTitle(child)), ...readOwnCpuMs(child) })),
    );
  const before = await readThreads();
  note();
  const timer = setInterval(note, WATCH_EVERY_MS);
  return {
    async stop() {
      clearInterval(timer);
      note();
      const after = await readThreads();
      const { backends, background } = ledger.spent();
      const threads = Object.entries(after).map(([part, ms]) => [
        part,
        Math.max(0, ms - (before[part as Thread] ?? 0)),
      ]);
      return {
        // The names of the parts are those of the readings.
        ...(Object.fromEntries(threads) as Threads),
        "PostgreSQL backends": backends,
        "PostgreSQL's background": background,
      };
    },
  };
}

/**
 * Divides the time of the server's process. The metric names the JavaScript threads. What is left are the threads of the
 * question engine, of garbage collection and of the thread pool; without the metric, all threads but the main one.
 */
export function divideThreads(processMs: number, mainMs: number, metrics: readonly MetricSample[]): Threads {
  const threadMs = (name: RegExp) =>
    1_000 * (sumOf(metrics, THREAD_METRIC, ({ thread = "" }) => name.test(thread)) ?? 0);
  const pipeline = threadMs(/pipeline/);
  const questions = threadMs(/questions/);
  const admission = threadMs(/admission/);
  return {
    "main thread": mainMs,
    "pipeline thread": pipeline,
    "question thread": questions,
    "admission threads": admission,
    "other threads of the server": Math.max(0, processMs - mainMs - pipeline - questions - admission),
  };
}

/** Microseconds for each entry, by part. */
export function perEntry(spent: CpuParts, entries: number): CpuParts {
  return Object.fromEntries(CPU_PARTS.map((part) => [part, (1_000 * spent[part]) / entries])) as CpuParts;
}

export function totalOf(parts: CpuParts): number {
  return CPU_PARTS.reduce((sum, part) => sum + parts[part], 0);
}
