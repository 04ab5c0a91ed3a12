import { underCurrentNames } from "../../audience/events/under-current-names.js";
import { ConnectorDirectory } from "../../connectors/connector-directory.js";
import { readApplyRules } from "../../pipeline/apply/apply-rules.js";
import { eraseLateWrites } from "../../pipeline/project/erase-late-writes.js";
import { Stages } from "../../pipeline/stages.js";
import { createVault } from "../../runtime/secrets/vault.js";
import type { Config } from "../../runtime/settings/config.js";
import { connectionLimits } from "../../runtime/settings/connection-limits.js";
import { enterThread } from "../../runtime/threads/enter-thread.js";
import { threadTools } from "../../runtime/threads/thread-tools.js";
import { ConnectorStore } from "../../storage/postgres/connectors/connectors.js";
import { type Database, openDatabase } from "../../storage/postgres/database.js";
import { LagRecorder } from "../../storage/postgres/figures/lag-recorder.js";
import { SYSTEM_CLOCK } from "../../storage/postgres/leases/lease-clock.js";
import { SharedRenewal } from "../../storage/postgres/leases/shared-renewal.js";
import { WorkLeases } from "../../storage/postgres/leases/work-leases.js";
import { WakeUps } from "../../storage/postgres/wake-ups.js";
import type { Questions } from "../../storage/questions/questions.js";
import { threadedQuestions } from "../../storage/questions/threaded/threaded-questions.js";
import { openLog } from "../open-log.js";
import { openQuestions, questionsEvents } from "../open-questions.js";
import type { MainCallsOfPipeline, PipelineThreadCalls, PipelineThreadSettings } from "./pipeline-thread-calls.js";

// The pipeline thread. It runs the stages after accept. The main thread starts it (start-pipeline-thread.ts) and calls the
// functions below.

let isReadOnly = false;
let opened: Awaited<ReturnType<typeof open>> | undefined;

const thread = enterThread<PipelineThreadCalls, undefined, MainCallsOfPipeline>({
  async open(settings) {
    opened = await open(settings);
    opened.database.setReadOnly(isReadOnly);
  },
  start: () => present().stages.start(),
  stop: () => present().stages.stop(),
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
});
const { main, closing } = thread;
const { logger, metrics, onSlowQuery } = threadTools(thread);

function present(): NonNullable<typeof opened> {
  if (!opened) throw new Error("The pipeline thread has not opened its engines.");
  return opened;
}

async function open(settings: PipelineThreadSettings) {
  const { config, databaseUrl, secretKey, workerId, holderId, renewal, questionsPort } = settings;
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
  const kept = { holderId, shared: new SharedRenewal(SYSTEM_CLOCK, renewal) };
  const leases = new WorkLeases({ database, logger, wakeUps, place: `${workerId} pipeline`, kept });
  closing.add(() => leases.close());
  await leases.start();
  const engine = questionsPort ? threadedQuestions(questionsPort) : await openClickHouse(config, database);
  const questions = underCurrentNames(database, engine);
  const store = new ConnectorStore(database, createVault(secretKey));
  const directory = new ConnectorDirectory({ store, database, logger });
  await directory.start();
  closing.add(() => directory.stop());
  const lags = new LagRecorder({ database, logger });
  closing.add(() => lags.close());
  lags.start();
  const log = openLog(config, database, logger);
  closing.add(() => log.close());
  const stages = new Stages({
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

/** With CLICKHOUSE_URL each thread has its own client, and other processes write to the same engine. */
async function openClickHouse(config: Config, database: Database): Promise<Questions> {
  // Only the embedded engine opens files of organizations.
  const onOpened = () => undefined;
  const questions = await openQuestions(config, questionsEvents(logger, onSlowQuery("questions"), onOpened));
  closing.add(() => questions.close());
  return eraseLateWrites(database, questions);
}
