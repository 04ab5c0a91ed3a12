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
  const usages = treeOf(root).map((pid) => ({ ...readMemory(pid), cpuMs: readStat(pid).cpuMs }));
  const sum = (value: (usage: (typeof usages)[number]) => number) =>
    usages.reduce((total, usage) => total + value(usage), 0);
  return {
    processes: usages.length,
    cpuMs: sum(({ cpuMs }) => cpuMs),
    rssBytes: sum(({ rssBytes }) => rssBytes),
    pssBytes: sum(({ pssBytes }) => pssBytes),
  };
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

function readStat(pid: number): { parent: number; cpuMs: number } {
  const stat = readProc(pid, "stat");
  // The name, in brackets, may contain any character. The other fields come after it.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  // The user and system time of the process, then that of its children that have ended, which would be lost otherwise.
  const ticks = [11, 12, 13, 14].reduce((sum, index) => sum + Number(fields[index] ?? 0), 0);
  return { parent: Number(fields[1]), cpuMs: ticks * TICK_MS };
}

function readMemory(pid: number): { rssBytes: number; pssBytes: number } {
  const rollup = readProc(pid, "smaps_rollup");
  const read = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(rollup)?.[1] ?? 0) * 1_024;
  return { rssBytes: read("Rss"), pssBytes: read("Pss") };
}

/** The text of a file of a process; empty when the process has ended. */
function readProc(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    return "";
  }
}
