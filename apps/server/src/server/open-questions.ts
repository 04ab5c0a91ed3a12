import { join } from "node:path";
import { evaluationEvents } from "../domain/events/evaluation-events.js";
import type { Config } from "../runtime/config.js";
import { openClickHouseQuestions } from "../storage/questions/clickhouse/clickhouse-questions.js";
import { openDuckDbQuestions } from "../storage/questions/duckdb/duckdb-questions.js";
import type { Questions } from "../storage/questions/questions.js";

// For those who open the engine without the server, as benchmarks do: this file is an entry of the package.
export { readConfig } from "../runtime/config.js";

export interface QuestionsEvents {
  onSlow(sql: string, durationMs: number): void;
  /** What an organization holds may be another than before: somebody must see whether it is up to date. */
  onOpened(organizationId: string): void;
  /** Something was wrong that was mended, or will be tried again. */
  onProblem(error: unknown, message: string, organizationId: string): void;
}

/** The ClickHouse server of CLICKHOUSE_URL, or else the engine inside this process. */
export async function openQuestions(config: Config, events: QuestionsEvents): Promise<Questions> {
  const limits = { timeLimitMs: config.questionTimeLimitMs, slowQueryMs: config.slowQueryMs };
  if (config.clickhouseUrl !== undefined) {
    const { clickhouseUrl: url, clickhouseCluster: cluster } = config;
    return openClickHouseQuestions({ ...limits, eventsOf: evaluationEvents, onSlow: events.onSlow, url, cluster });
  }
  return openDuckDbQuestions({
    ...events,
    ...limits,
    eventsOf: evaluationEvents,
    folder: join(config.dataDir, "questions"),
    memoryBytes: config.questionsMemoryBytes,
    threads: config.questionsThreads,
  });
}
