import { readdirSync, readFileSync } from "node:fs";

const PAGE_BYTES = 4_096;

export interface MemoryWatch {
  /** Ends the watch; answers the most memory the tree held at once, in bytes. */
  stop(): number;
}

/** Samples the resident memory of a process and everything it started. Reads /proc, so it needs Linux. */
export function watchMemory(rootPid: number, intervalMs = 50): MemoryWatch {
  let peak = residentBytes(rootPid);
  const timer = setInterval(() => {
    peak = Math.max(peak, residentBytes(rootPid));
  }, intervalMs);
  return {
    stop() {
      clearInterval(timer);
      return peak;
    },
  };
}

function residentBytes(rootPid: number): number {
  const processes = readProcesses();
  const tree = new Set([rootPid]);
  // A child has started after its parent, but pids wrap around: go over the list until nothing is added.
  for (let size = 0; size !== tree.size; ) {
    size = tree.size;
    for (const { pid, parentPid } of processes) if (tree.has(parentPid)) tree.add(pid);
  }
  return processes.filter(({ pid }) => tree.has(pid)).reduce((sum, { bytes }) => sum + bytes, 0);
}

function readProcesses(): { pid: number; parentPid: number; bytes: number }[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        // The command is in parentheses and may hold anything; the fields after it are numbers.
        const stat = readFileSync(`/proc/${name}/stat`, "utf8");
        const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
        return [{ pid: Number(name), parentPid: Number(fields[1]), bytes: Number(fields[21]) * PAGE_BYTES }];
      } catch {
        // The process ended between the two reads.
        return [];
      }
    });
}
