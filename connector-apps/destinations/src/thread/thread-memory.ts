import { Worker } from "node:worker_threads";

/** What newer versions of Node can say of a thread, also while its code runs in a loop. */
interface MeasuredThread {
  getHeapStatistics?(): Promise<{ used_heap_size: number }>;
}

const MB = 1024 * 1024;
const LOOK_MS = 100;
/** Code that fills memory in a loop gets far in the time between two looks. */
const HEADROOM = 3;

const canMeasure = typeof (Worker.prototype as MeasuredThread).getHeapStatistics === "function";

/**
 * The limit that V8 gets for the heap of a thread. One allocation that goes far over it ends the whole process, so it is higher than
 * what is allowed where Node lets us look. Node 20 does not: there V8's limit is all there is.
 */
export function heapLimitMb(memoryMb: number): number {
  return canMeasure ? memoryMb * HEADROOM : memoryMb;
}

/** Looks at the heap of a thread while it works, and tells when it has used more than is allowed. Answers with what ends that. */
export function watchHeap(worker: Worker, memoryMb: number, isWorking: () => boolean, tell: () => void): () => void {
  if (!canMeasure) return () => {};
  const timer = setInterval(async () => {
    if (!isWorking()) return;
    try {
      const statistics = await (worker as MeasuredThread).getHeapStatistics?.();
      if (statistics && statistics.used_heap_size > memoryMb * MB) tell();
    } catch {
      // The thread has not started yet, or has ended.
    }
  }, LOOK_MS);
  timer.unref();
  return () => clearInterval(timer);
}
