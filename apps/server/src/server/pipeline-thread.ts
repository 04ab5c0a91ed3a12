import { parentPort, workerData } from "node:worker_threads";
import { ConnectorDirectory } from "../connectors/connector-directory.js";
import { readApplyRules } from "../pipeline/apply/apply-rules.js";
import { Stages } from "../pipeline/stages.js";
import { connectionLimits } from "../runtime/connection-limits.js";
import { createMetrics } from "../runtime/metrics.js";
import { ThreadCalls } from "../runtime/thread-calls.js";
import { threadLogger } from "../runtime/thread-log.js";
import { readThreadMetrics } from "../runtime/thread-metrics.js";
import { ownThreadId } from "../runtime/thread-times.js";
import { createVault } from "../runtime/vault.js";
import { ConnectorStore } from "../storage/postgres/connectors/connectors.js";
import { openDatabase } from "../storage/postgres/database.js";
import { LagRecorder } from "../storage/postgres/figures/lag-recorder.js";
import { WorkLeases } from "../storage/postgres/leases/work-leases.js";
import { WakeUps } from "../storage/postgres/wake-ups.js";
import { serveQuestions } from "../storage/questions/threaded/serve-questions.js";
import { Closing } from "./closing.js";
import { openLog } from "./open-log.js";
import { openQuestions } from "./open-questions.js";
import type { MainThreadCalls, PipelineThreadCalls, PipelineThreadSettings } from "./pipeline-thread-calls.js";

// The pipeline thread. It owns the embedded question engine and runs the stages after accept. The main thread starts it
// (start-pipeline-thread.ts) and calls the functions below.

if (!parentPort) throw new Error("This file is the start of a thread.");

const closing = new Closing();
const metrics = createMetrics({ isMainThread: false });
const { logLevel } = workerData as { logLevel: string };
const logger = threadLogger(logLevel, (line) => main.tell("log", [line]));
let isReadOnly = false;
let opened: Awaited<ReturnType<typeof open>> | undefined;

const calls: PipelineThreadCalls = {
  async open(settings) {
    opened = await open(settings);
    opened.database.setReadOnly(isReadOnly);
    return ownThreadId();
  },
  start: () => present().stages.start(),
  stop: () => present().stages.stop(),
  async close() {
    await closing.closeAll();
  },
  appended(organizationId, parts) {
    // A buffer arrives as a plain array of bytes.
    for (const { batch } of parts) batch.payload = Buffer.from(batch.payload.buffer);
    present().stages.appended(organizationId, parts);
  },
  catchUpSoon: (organizationId) => present().stages.catchUpSoon(organizationId),
  sweepSoon: (organizationId) => present().stages.sweepSoon(organizationId),
  setWatched: (organizationId, isWatched) => present().stages.setWatched(organizationId, isWatched),
  refreshConnectors: () => present().directory.refresh(),
  setReadOnly(value) {
    isReadOnly = value;
    opened?.database.setReadOnly(value);
  },
  readMetrics: () => readThreadMetrics(metrics.registry),
};
const main = new ThreadCalls<MainThreadCalls>(parentPort, calls);

function present(): NonNullable<typeof opened> {
  if (!opened) throw new Error("The pipeline thread has not opened its engines.");
  return opened;
}

async function open({ config, databaseUrl, secretKey, workerId, questionsPort }: PipelineThreadSettings) {
  const onSlowQuery = (engine: string) => (sql: string, durationMs: number) => {
    metrics.slowQueries.inc({ engine });
    logger.warn({ engine, durationMs, sql }, "slow query");
  };
  const database = openDatabase({
    url: databaseUrl,
    slowQueryMs: config.slowQueryMs,
    onSlowQuery: onSlowQuery("postgres"),
    onError: (error) => logger.error({ err: error }, "database connection failed"),
    directUrl: config.databaseDirectUrl,
    maxConnections: connectionLimits(config, true).pipeline,
  });
  closing.add(() => database.close());
  const wakeUps = new WakeUps({ database, logger });
  closing.add(() => wakeUps.close());
  await wakeUps.start();
  const leases = new WorkLeases({ database, logger, wakeUps, place: `${workerId} pipeline` });
  closing.add(() => leases.close());
  await leases.start();
  let stages: Stages | undefined;
  const questions = await openQuestions(config, {
    onSlow: onSlowQuery("questions"),
    onOpened: (organizationId) => stages?.catchUpSoon(organizationId),
    onProblem: (error, message, organizationId) => logger.warn({ err: error, organizationId }, message),
  });
  closing.add(() => questions.close());
  if (questionsPort) serveQuestions(questionsPort, questions);
  const store = new ConnectorStore(database, createVault(secretKey));
  const directory = new ConnectorDirectory({ store, database, logger });
  await directory.start();
  closing.add(() => directory.stop());
  const lags = new LagRecorder({ database, logger });
  closing.add(() => lags.close());
  lags.start();
  const log = openLog(config, database, logger);
  closing.add(() => log.close());
  stages = new Stages({
    database,
    log,
    questions,
    leases,
    wakeUps,
    metrics,
    lags,
    logger,
    apply: { rules: readApplyRules(config, secretKey), bulkEvery: config.bulkEvery },
    notify: { directory, onQueued: (connectorIds) => main.tell("onQueued", [[...connectorIds]]) },
    events: {
      onProjected: (organizationId) => main.tell("onProjected", [organizationId]),
      onRejected: (organizationId, rejected) => main.tell("onRejected", [organizationId, rejected]),
    },
  });
  return { database, directory, stages };
}
