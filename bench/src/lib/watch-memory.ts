import { readTreeMemory } from "./process-tree.js";

export interface MemoryWatch {
  /** Ends the watch. Returns the most memory that the processes used at once, in bytes. */
  stop(): number;
}

/** Samples the memory of a process and all its descendants, with shared pages counted once. Linux only. */
export function watchMemory(rootPid: number, intervalMs: number): MemoryWatch {
  let peak = readTreeMemory(rootPid);
  const timer = setInterval(() => {
    peak = Math.max(peak, readTreeMemory(rootPid));
  }, intervalMs);
  return {
    stop() {
      clearInterval(timer);
      return peak;
    },
  };
}
