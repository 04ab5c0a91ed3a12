import { readTreeUsage } from "./process-tree.js";

export interface MemoryWatch {
  /** Ends the watch; answers the most memory the tree held at once, in bytes. */
  stop(): number;
}

/** Samples the memory of a process and everything it started, shared pages counted once. Linux only. */
export function watchMemory(rootPid: number, intervalMs: number): MemoryWatch {
  const held = () => readTreeUsage(rootPid).pssBytes;
  let peak = held();
  const timer = setInterval(() => {
    peak = Math.max(peak, held());
  }, intervalMs);
  return {
    stop() {
      clearInterval(timer);
      return peak;
    },
  };
}
