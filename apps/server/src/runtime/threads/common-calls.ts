import type { ThreadMetrics } from "../measures/thread-metrics.js";

/** What every thread gets when it starts. */
export interface ThreadData<Data> {
  logLevel: string;
  /** What threads of its kind get. */
  data: Data;
}

/** What the main thread calls on every other thread. */
export interface CommonThreadCalls {
  /** Closes what the thread has opened. */
  close(): Promise<void>;
  readMetrics(): Promise<ThreadMetrics>;
}

/** What every thread calls on the main thread. */
export interface CommonMainCalls {
  /** The thread has loaded its code. The operating system knows it by this number; undefined on systems other than Linux. */
  started(threadId: number | undefined): void;
  /** The thread has metrics of its own from now on. */
  measures(): void;
  log(line: string): void;
}
