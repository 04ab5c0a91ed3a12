import { kindOfProcess } from "./process-kind.js";
import { readOwnCpuMs, readThreadCpuMs, readTitle, treeOf } from "./process-tree.js";
import { type MetricSample, readMetrics, sumOf } from "./read-metrics.js";

/** Where the processor time of a server and its PostgreSQL goes, in the order of the tables. */
export const CPU_PARTS = [
  "main thread",
  "pipeline thread",
  "admission threads",
  "other threads of the server",
  "PostgreSQL backends",
  "PostgreSQL's background",
] as const;

export type CpuPart = (typeof CPU_PARTS)[number];
export type CpuParts = Record<CpuPart, number>;

/** The metric with the processor time of each JavaScript thread. */
const THREAD_METRIC = "muster_thread_cpu_seconds_total";

/** The processor time of each part up to now, in milliseconds. Linux only. */
export async function readCpuParts({ pid, url }: { pid: number; url: string }): Promise<CpuParts> {
  const metrics = await readMetrics({ url });
  const postgres = { "PostgreSQL backends": 0, "PostgreSQL's background": 0 };
  for (const child of treeOf(pid)) {
    if (child === pid) continue;
    const part =
      kindOfProcess(readTitle(child)) === "backend" ? "PostgreSQL backends" : ("PostgreSQL's background" as const);
    const { ownMs, endedMs } = readOwnCpuMs(child);
    postgres[part] += ownMs;
    // Most children that have ended are workers of autovacuum. The backends of a pool stay.
    postgres["PostgreSQL's background"] += endedMs;
  }
  const { ownMs } = readOwnCpuMs(pid);
  return { ...divideThreads(ownMs, readThreadCpuMs(pid, pid), metrics), ...postgres };
}

/**
 * Divides the time of the server's process. The metric names the JavaScript threads. What is left are the threads of the
 * question engine, of garbage collection and of the thread pool; without the metric, all threads but the main one.
 */
export function divideThreads(
  processMs: number,
  mainMs: number,
  metrics: readonly MetricSample[],
): Omit<CpuParts, "PostgreSQL backends" | "PostgreSQL's background"> {
  const threadMs = (name: RegExp) =>
    1_000 * (sumOf(metrics, THREAD_METRIC, ({ thread = "" }) => name.test(thread)) ?? 0);
  const pipeline = threadMs(/pipeline/);
  const admission = threadMs(/admission/);
  return {
    "main thread": mainMs,
    "pipeline thread": pipeline,
    "admission threads": admission,
    "other threads of the server": Math.max(0, processMs - mainMs - pipeline - admission),
  };
}

/** What was used between two readings. */
export function spentBetween(before: CpuParts, after: CpuParts): CpuParts {
  return Object.fromEntries(CPU_PARTS.map((part) => [part, Math.max(0, after[part] - before[part])])) as CpuParts;
}

/** Microseconds for each entry, by part. */
export function perEntry(spent: CpuParts, entries: number): CpuParts {
  return Object.fromEntries(CPU_PARTS.map((part) => [part, (1_000 * spent[part]) / entries])) as CpuParts;
}

export function totalOf(parts: CpuParts): number {
  return CPU_PARTS.reduce((sum, part) => sum + parts[part], 0);
}
