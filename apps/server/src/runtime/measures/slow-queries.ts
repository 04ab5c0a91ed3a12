import type { Logger } from "pino";
import type { Metrics } from "./metrics.js";

/** Reports a query that took long. */
export type OnSlowQuery = (sql: string, durationMs: number) => void;

/** Returns a function that gives each engine its report: a warning in the log and a count in the metrics. */
export function slowQueryReports(
  logger: Logger,
  metrics: Pick<Metrics, "slowQueries">,
): (engine: string) => OnSlowQuery {
  return (engine) => (sql, durationMs) => {
    metrics.slowQueries.inc({ engine });
    logger.warn({ engine, durationMs, sql }, "slow query");
  };
}
