import type { Logger } from "pino";
import { createMetrics, type Metrics } from "../measures/metrics.js";
import { type OnSlowQuery, slowQueryReports } from "../measures/slow-queries.js";
import { readThreadMetrics } from "../measures/thread-metrics.js";
import type { CommonMainCalls } from "./common-calls.js";
import type { OwnThread } from "./enter-thread.js";
import type { ThreadCalls } from "./thread-calls.js";
import { threadLogger } from "./thread-log.js";

export interface ThreadTools {
  /** Its lines are written by the main thread. */
  logger: Logger;
  /** `/metrics` adds them to those of the main thread. */
  metrics: Metrics;
  /** Returns a function that reports slow queries of an engine. */
  onSlowQuery(engine: string): OnSlowQuery;
}

/**
 * A logger and metrics for a thread. They stand apart from `enterThread`, because loading them takes about as long as a thread
 * that only computes takes to start.
 */
export function threadTools({ main, logLevel, measure }: OpenThread): ThreadTools {
  const metrics = createMetrics({ isMainThread: false });
  measure(() => readThreadMetrics(metrics.registry));
  const logger = threadLogger(logLevel, (line) => main.tell("log", [line]));
  return { logger, metrics, onSlowQuery: slowQueryReports(logger, metrics) };
}

interface OpenThread extends Pick<OwnThread<unknown, CommonMainCalls>, "logLevel" | "measure"> {
  main: Pick<ThreadCalls<CommonMainCalls>, "tell">;
}
