import { parentPort, workerData } from "node:worker_threads";
import type { Logger } from "pino";
import { Closing } from "../../runtime/closing.js";
import { createMetrics, type Metrics } from "../../runtime/metrics.js";
import { type OnSlowQuery, slowQueryReports } from "../../runtime/slow-queries.js";
import { letMainThreadGoFirst } from "../../runtime/threads/let-main-thread-go-first.js";
import { type Methods, ThreadCalls } from "../../runtime/threads/thread-calls.js";
import { threadLogger } from "../../runtime/threads/thread-log.js";
import { readThreadMetrics } from "../../runtime/threads/thread-metrics.js";
import type { CommonMainCalls, CommonThreadCalls, ThreadData } from "./common-calls.js";

/** What a thread of the server has. */
export interface OwnThread<MainCalls extends Methods<MainCalls>> {
  /** Calls the main thread. */
  main: ThreadCalls<MainCalls>;
  logger: Logger;
  metrics: Metrics;
  /** What is closed when the main thread closes this one. */
  closing: Closing;
  /** Returns a function that reports slow queries of an engine. */
  onSlowQuery(engine: string): OnSlowQuery;
}

/** Makes the calling thread one of the server. The main thread calls the functions that are given here. */
export function enterThread<Calls extends CommonThreadCalls, MainCalls extends CommonMainCalls & Methods<MainCalls>>(
  calls: Omit<Calls, keyof CommonThreadCalls>,
): OwnThread<MainCalls> {
  if (!parentPort) throw new Error("This file is the start of a thread.");
  letMainThreadGoFirst();
  // The main thread gives the data when it starts the thread.
  const { logLevel } = workerData as ThreadData;
  const closing = new Closing();
  const metrics = createMetrics({ isMainThread: false });
  const common: CommonThreadCalls = {
    close: () => closing.closeAll(),
    readMetrics: () => readThreadMetrics(metrics.registry),
  };
  const main: ThreadCalls<CommonMainCalls> = new ThreadCalls(parentPort, { ...calls, ...common });
  const logger = threadLogger(logLevel, (line) => main.tell("log", [line]));
  return {
    main: main as ThreadCalls<MainCalls>,
    logger,
    metrics,
    closing,
    onSlowQuery: slowQueryReports(logger, metrics),
  };
}
