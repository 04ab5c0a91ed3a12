import { readdirSync, readFileSync } from "node:fs";

export interface TreeUsage {
  processes: number;
  /** Processor time, user and system together. */
  cpuMs: number;
  /** The sum of resident memory. Pages that processes share count in each of them. */
  rssBytes: number;
  /** The sum with shared pages divided among the processes that share them: what the machine would get back. */
  pssBytes: number;
}

// Linux reports processor time in ticks of 10 ms, whatever the kernel's own clock is.
const TICK_MS = 10;

/** What a process and all its descendants use now. Linux only. */
export function readTreeUsage(root: number): TreeUsage {
  const usages = treeOf(root).map((pid) => {
    const { ownMs, endedMs } = readStat(pid);
    // The time of children that have ended would be lost otherwise.
    return { ...readMemory(pid), cpuMs: ownMs + endedMs };
  });
  const sum = (value: (usage: (typeof usages)[number]) => number) =>
    usages.reduce((total, usage) => total + value(usage), 0);
  return {
    processes: usages.length,
    cpuMs: sum(({ cpuMs }) => cpuMs),
    rssBytes: sum(({ rssBytes }) => rssBytes),
    pssBytes: sum(({ pssBytes }) => pssBytes),
  };
}

/**
 * The memory of a process and all its descendants, from counters that the kernel keeps anyway: the private memory of all of
 * them, and the shared memory and mapped files of the one that has most. To divide shared pages exactly, as
 * `readTreeUsage` does, the kernel walks through all pages: 40 ms for 1.5 GB, during which the process waits at times.
 */
export function readTreeMemory(root: number): number {
  const parts = treeOf(root).map((pid) => {
    const status = readProc(pid, "status");
    return { own: bytesOf(status, "RssAnon"), shared: bytesOf(status, "RssShmem") + bytesOf(status, "RssFile") };
  });
  return parts.reduce((sum, { own }) => sum + own, 0) + Math.max(...parts.map(({ shared }) => shared));
}

/** The ids of a process and all its descendants. */
export function treeOf(root: number): number[] {
  const children = new Map<number, number[]>();
  for (const name of readdirSync("/proc").filter((entry) => /^\d+$/.test(entry))) {
    const pid = Number(name);
    const { parent } = readStat(pid);
    children.set(parent, [...(children.get(parent) ?? []), pid]);
  }
  const collect = (pid: number): number[] => [pid, ...(children.get(pid) ?? []).flatMap(collect)];
  return collect(root);
}

/** The processor time of a process itself, and that of its children that have ended. */
export function readOwnCpuMs(pid: number): { ownMs: number; endedMs: number } {
  const { ownMs, endedMs } = readStat(pid);
  return { ownMs, endedMs };
}

/** The processor time of one thread. The first thread of a process has the id of the process. */
export function readThreadCpuMs(pid: number, thread: number): number {
  return readStat(pid, `task/${thread}/stat`).ownMs;
}

function readStat(pid: number, file = "stat"): { parent: number; ownMs: number; endedMs: number } {
  const stat = readProc(pid, file);
  // The name, in brackets, may contain any character. The other fields come after it.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const ms = (...indexes: number[]) => indexes.reduce((sum, index) => sum + Number(fields[index] ?? 0), 0) * TICK_MS;
  // User and system time of the process, then of its children that have ended.
  return { parent: Number(fields[1]), ownMs: ms(11, 12), endedMs: ms(13, 14) };
}

/** The memory of one process. */
export function readMemory(pid: number): { rssBytes: number; pssBytes: number } {
  const rollup = readProc(pid, "smaps_rollup");
  return { rssBytes: bytesOf(rollup, "Rss"), pssBytes: bytesOf(rollup, "Pss") };
}

/** The bytes of a line such as `Rss:   1200 kB`; 0 when there is none. */
function bytesOf(text: string, name: string): number {
  return Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(text)?.[1] ?? 0) * 1_024;
}

/** The title of a process; empty when it has ended. */
export function readTitle(pid: number): string {
  return readProc(pid, "cmdline").replaceAll("\0", " ").trim();
}

/** The text of a file of a process; empty when the process has ended. */
function readProc(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    return "";
  }
}
