import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MessageChannel } from "node:worker_threads";
import { evaluationEvents } from "../../../domain/changes/evaluation-events.js";
import { COLUMN_RULES, type ColumnRules } from "../duckdb/layout/event-layout.js";
import type { TimesRules } from "../duckdb/layout/event-times.js";
import type { Questions } from "../questions.js";
import { serveQuestions } from "../threaded/serve-questions.js";
import { threadedQuestions } from "../threaded/threaded-questions.js";
import { askedTwice } from "./asked-twice.js";

/** The engine that the contract tests run against. */
export const ENGINE = engineName(process.env.MUSTER_TEST_QUESTIONS);

function engineName(name = "duckdb"): "duckdb" | "clickhouse" {
  if (name === "duckdb" || name === "clickhouse") return name;
  throw new Error(`MUSTER_TEST_QUESTIONS is "${name}": expected duckdb or clickhouse.`);
}

/** Every file gets the times of its events, in runs of a few entries. */
export const TIMES_AT_ONCE: TimesRules = { leastEvents: 0, runEntries: 4, pageRows: 3, lookEveryMs: 5 };

/**
 * Opens an empty engine with the settings of production, in a new folder that `close` removes. DuckDB is called over a
 * message port, which proves that every call and every answer can be sent between threads.
 */
export async function openEngine(): Promise<Questions> {
  if (ENGINE === "clickhouse") {
    const { openChdbQuestions } = await import("../clickhouse/testing/open-chdb.js");
    return openChdbQuestions();
  }
  const folder = await makeFolder();
  const rules = { ...COLUMN_RULES, leastEvents: 0, uses: 1, apartMs: 0, areRead: true };
  const questions = askedTwice(throughPort(await openFolder(folder, rules, TIMES_AT_ONCE)), rules);
  const close = questions.close.bind(questions);
  return Object.assign(questions, {
    close: async () => {
      await close();
      await rm(folder, { recursive: true, force: true });
    },
  });
}

/** The same engine, asked as the server asks it when another thread owns it. */
function throughPort(questions: Questions): Questions {
  const { port1, port2 } = new MessageChannel();
  serveQuestions(port1, questions);
  const asking = threadedQuestions(port2);
  const close = asking.close.bind(asking);
  return Object.assign(asking, {
    close: async () => {
      await close();
      port2.close();
    },
  });
}

/** Creates a folder for tests that close an engine and open it again. They remove the folder themselves. */
export function makeFolder(): Promise<string> {
  return mkdtemp(join(tmpdir(), "muster-questions-"));
}

/** Opens DuckDB in a folder that may have files already. */
export async function openFolder(
  folder: string,
  columnRules?: ColumnRules,
  timesRules?: TimesRules,
): Promise<Questions> {
  const { openDuckDbQuestions } = await import("../duckdb/duckdb-questions.js");
  return openDuckDbQuestions({
    folder,
    ...(columnRules && { columnRules }),
    timesRules,
    memoryBytes: 512 * 1024 * 1024,
    threads: 2,
    timeLimitMs: 30_000,
    slowQueryMs: 60_000,
    onSlow() {},
    onOpened() {},
    onProblem() {},
    eventsOf: evaluationEvents,
  });
}
