import type { ThreadMetrics } from "../../runtime/threads/thread-metrics.js";

/** What every thread gets when it starts. */
export interface ThreadData {
  logLevel: string;
}

/** What the main thread calls on every other one. */
export interface CommonThreadCalls {
  /** Closes what the thread has opened. */
  close(): Promise<void>;
  readMetrics(): Promise<ThreadMetrics>;
}

/** What every thread calls on the main one. */
export interface CommonMainCalls {
  log(line: string): void;
}
