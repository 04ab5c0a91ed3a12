import { join } from "node:path";
import type { Logger } from "pino";
import { evaluationEvents } from "../domain/changes/evaluation-events.js";
import type { OnSlowQuery } from "../runtime/measures/slow-queries.js";
import type { Config } from "../runtime/settings/config.js";
import type { ColumnRules } from "../storage/questions/duckdb/layout/event-layout.js";
import type { TimesRules } from "../storage/questions/duckdb/layout/event-times.js";
import type { Questions } from "../storage/questions/questions.js";

// This file is an entry of the package: benchmarks open the engine without the server, and need settings for it.
export { readConfig } from "../runtime/settings/config.js";
export { COLUMN_RULES, type ColumnRules } from "../storage/questions/duckdb/layout/event-layout.js";
export { TIMES_RULES, type TimesRules } from "../storage/questions/duckdb/layout/event-times.js";

export interface QuestionsEvents {
  onSlow: OnSlowQuery;
  /** Called when the engine opens what it holds of an organization. It may be out of date and must be checked. */
  onOpened(organizationId: string): void;
  /** Called about a problem that was repaired or will be tried again. */
  onProblem(error: unknown, message: string, organizationId: string): void;
  /** When properties of events get columns in the engine inside this process; other rules in benchmarks. */
  columnRules?: ColumnRules;
  /** When that engine notes the times of events; other rules in benchmarks. */
  timesRules?: TimesRules;
}

/** The events of an engine whose problems are logged. */
export function questionsEvents(
  logger: Logger,
  onSlow: QuestionsEvents["onSlow"],
  onOpened: QuestionsEvents["onOpened"],
): QuestionsEvents {
  return {
    onSlow,
    onOpened,
    onProblem: (error, message, organizationId) => logger.warn({ err: error, organizationId }, message),
  };
}

/** Where the embedded engine has its files. */
export function questionsFolderOf({ dataDir }: Pick<Config, "dataDir">): string {
  return join(dataDir, "questions");
}

/**
 * The ClickHouse server of CLICKHOUSE_URL, or else the engine inside this process. Only the engine that is used is loaded,
 * because native code takes long to load.
 */
export async function openQuestions(config: Config, events: QuestionsEvents): Promise<Questions> {
  const limits = { timeLimitMs: config.questionTimeLimitMs, slowQueryMs: config.slowQueryMs };
  if (config.clickhouseUrl !== undefined) {
    const { openClickHouseQuestions } = await import("../storage/questions/clickhouse/clickhouse-questions.js");
    const { clickhouseUrl: url, clickhouseCluster: cluster } = config;
    return openClickHouseQuestions({ ...limits, eventsOf: evaluationEvents, onSlow: events.onSlow, url, cluster });
  }
  const { openDuckDbQuestions } = await import("../storage/questions/duckdb/duckdb-questions.js");
  return openDuckDbQuestions({
    ...events,
    ...limits,
    eventsOf: evaluationEvents,
    folder: questionsFolderOf(config),
    memoryBytes: config.questionsMemoryBytes,
    threads: config.questionsThreads,
  });
}
