import { Worker } from "node:worker_threads";
import type { Logger } from "pino";
import type { Metrics } from "../../runtime/metrics.js";
import { type Methods, ThreadCalls } from "../../runtime/threads/thread-calls.js";
import { threadLines } from "../../runtime/threads/thread-log.js";
import type { CommonMainCalls, CommonThreadCalls, ThreadData } from "./common-calls.js";

/** What the main thread gives to a thread that it starts. */
export interface StartThreadOptions extends ThreadData {
  logger: Logger;
  metrics: Metrics;
  /** Called when the thread has ended by itself. Nothing that it owned can be used any more. */
  onFailed(error: unknown, thread: string): void;
}

interface ThreadKind {
  /** Its name, also in metrics. */
  name: string;
  /** The file that it runs. */
  start: URL;
  /** Most objects of a micro-batch die young: how much room they have. */
  youngGenerationMb: number;
}

/** A thread of the server, as the main thread sees it. */
export interface StartedThread<Calls extends Methods<Calls>> {
  calls: ThreadCalls<Calls>;
  /** The thread has opened its engines: its metrics count from now on. `id` is the number that the system knows it by. */
  opened(id: number | undefined): void;
  /** Closes what the thread has opened, and ends it. Further calls do nothing. */
  close(): Promise<void>;
}

/** Starts a thread, which loads its code while the caller goes on. It calls the functions `own`. */
export function startThread<Calls extends CommonThreadCalls & Methods<Calls>>(
  { name, start, youngGenerationMb }: ThreadKind,
  { logLevel, logger, metrics, onFailed }: StartThreadOptions,
  own: object,
): StartedThread<Calls> {
  const worker = new Worker(start, {
    name,
    workerData: { logLevel } satisfies ThreadData,
    resourceLimits: { maxYoungGenerationSizeMb: youngGenerationMb },
  });
  let isClosing = false;
  worker.on("error", (error) => onFailed(error, name));
  worker.on("exit", (code) => {
    if (!isClosing) onFailed(new Error(`The thread "${name}" has ended with code ${code}.`), name);
  });
  const common: CommonMainCalls = { log: threadLines(logger) };
  const calls = new ThreadCalls<Calls>(worker, Object.assign(own, common));
  const thread: ThreadCalls<CommonThreadCalls> = calls;
  return {
    calls,
    opened(id) {
      metrics.threadTimes.add(name, id);
      metrics.scrapes.addThread(() => thread.ask("readMetrics", []));
    },
    async close() {
      if (isClosing) return;
      isClosing = true;
      await thread.ask("close", []);
      await worker.terminate();
    },
  };
}
