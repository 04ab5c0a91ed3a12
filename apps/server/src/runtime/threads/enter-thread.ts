import { parentPort, workerData } from "node:worker_threads";
import { Closing } from "../loops/closing.js";
import type { ThreadMetrics } from "../measures/thread-metrics.js";
import { ownThreadId } from "../measures/thread-times.js";
import type { CommonMainCalls, CommonThreadCalls, ThreadData } from "./common-calls.js";
import { letMainThreadGoFirst } from "./let-main-thread-go-first.js";
import { type Methods, ThreadCalls } from "./thread-calls.js";
import type { ThreadErrors } from "./thread-errors.js";

/** What a thread has from the start. `threadTools` adds a logger and metrics. */
export interface OwnThread<Data, MainCalls extends Methods<MainCalls>> extends ThreadData<Data> {
  /** Calls the main thread. */
  main: ThreadCalls<MainCalls>;
  /** What is closed when the main thread closes this thread. */
  closing: Closing;
  /** Lets the main thread read metrics of this thread. */
  measure(read: () => Promise<ThreadMetrics>): void;
}

/**
 * Makes the calling thread one that `Threads` has started. The main thread calls the functions that are given here. `errors`
 * are those of its `ThreadKind`.
 */
export function enterThread<
  Calls extends Methods<Calls>,
  Data = undefined,
  MainCalls extends CommonMainCalls & Methods<MainCalls> = CommonMainCalls,
>(calls: Omit<Calls, keyof CommonThreadCalls>, errors?: ThreadErrors): OwnThread<Data, MainCalls> {
  if (!parentPort) throw new Error("This file is the start of a thread.");
  letMainThreadGoFirst();
  // The main thread gives the data when it starts the thread.
  const { logLevel, data } = workerData as ThreadData<Data>;
  const closing = new Closing();
  let readMetrics: () => Promise<ThreadMetrics> = async () => [];
  const common: CommonThreadCalls = { close: () => closing.closeAll(), readMetrics: () => readMetrics() };
  const main: ThreadCalls<CommonMainCalls> = new ThreadCalls(parentPort, { ...calls, ...common }, errors);
  main.tell("started", [ownThreadId()]);
  return {
    logLevel,
    data,
    main: main as ThreadCalls<MainCalls>,
    closing,
    measure(read) {
      readMetrics = read;
      main.tell("measures", []);
    },
  };
}
