import { randomUUID } from "node:crypto";
import { join } from "node:path";
import type { Logger } from "pino";
import { underCurrentNames } from "../audience/events/under-current-names.js";
import { openDataDirectory } from "../runtime/disk/data-directory.js";
import { DiskSpace, RESERVED_BYTES } from "../runtime/disk/disk-space.js";
import { refuseUnfinishedRestore } from "../runtime/disk/unfinished-restore.js";
import type { Closing } from "../runtime/loops/closing.js";
import type { Metrics } from "../runtime/measures/metrics.js";
import { slowQueryReports } from "../runtime/measures/slow-queries.js";
import type { StartTimes } from "../runtime/measures/start-times.js";
import { createVault, type Vault } from "../runtime/secrets/vault.js";
import type { Config } from "../runtime/settings/config.js";
import { connectionLimits } from "../runtime/settings/connection-limits.js";
import { rolesWithQuestions } from "../runtime/settings/roles.js";
import type { Threads } from "../runtime/threads/threads.js";
import type { IngestionLog } from "../storage/ingest-log/ingestion-log.js";
import type { Database } from "../storage/postgres/database.js";
import { LeaseKeeper, shareRenewal } from "../storage/postgres/leases/lease-keeper.js";
import { WorkLeases } from "../storage/postgres/leases/work-leases.js";
import { migrate } from "../storage/postgres/migrate.js";
import { openPostgres } from "../storage/postgres/open-postgres.js";
import { requirePoolerSettings } from "../storage/postgres/require-pooler-settings.js";
import { requireVersion } from "../storage/postgres/require-version.js";
import { WakeUps } from "../storage/postgres/wake-ups.js";
import type { Questions } from "../storage/questions/questions.js";
import { CLICKHOUSE, namingEngine, POSTGRES } from "./engine-failure.js";
import { openLog } from "./open-log.js";
import { openQuestions, type QuestionsEvents, questionsEvents } from "./open-questions.js";
import { hasPipelineThread, type PipelineThread, startPipelineThread } from "./threads/start-pipeline-thread.js";
import { startQuestionThread } from "./threads/start-question-thread.js";
import { withoutQuestions } from "./without-questions.js";

export interface OpenEnginesOptions {
  logger: Logger;
  metrics: Metrics;
  threads: Threads;
  closing: Closing;
  times: StartTimes;
  /** Opens the question engine of the settings; another one in tests. */
  openQuestions?: typeof openQuestions;
  /** Called when the question engine opens the data of an organization, which may be out of date. */
  onQuestionsOpened(organizationId: string): void;
  /** Called when a thread has ended unexpectedly. */
  onThreadFailed(error: unknown, thread: string): void;
}

/** The data directory with its secrets, and the two engines. */
export interface Engines {
  database: Database;
  log: IngestionLog;
  questions: Questions;
  /** The leases of this thread. */
  leases: WorkLeases;
  /** Wakes other processes, and is woken by them. */
  wakeUps: WakeUps;
  /** Runs the stages after accept; undefined when they run in this thread. */
  thread: PipelineThread | undefined;
  /** The disk of the data directory. */
  disk: DiskSpace;
  secretKey: string;
  adminToken: string;
  vault: Vault;
  /** Names this process and the one that replaces it: only one process at a time has the data directory. */
  workerId: string;
}

/** Opens the data directory and the engines, and brings the schema of the database up to date. */
export async function openEngines(
  config: Config,
  { logger, metrics, threads, closing, times, onQuestionsOpened, onThreadFailed, ...options }: OpenEnginesOptions,
): Promise<Engines> {
  const onSlowQuery = slowQueryReports(logger, metrics);
  const dataDirectory = await openDataDirectory(config.dataDir);
  closing.add(dataDirectory.release);
  // Before PostgreSQL starts, because the threads load their code at the same time.
  const threadOptions = { threads, onFailed: onThreadFailed };
  const hasThreads = hasPipelineThread(config);
  const questionThread =
    hasThreads && config.clickhouseUrl === undefined
      ? startQuestionThread({ ...threadOptions, onOpened: onQuestionsOpened })
      : undefined;
  closing.add(() => questionThread?.close());
  const thread = hasThreads ? startPipelineThread(threadOptions) : undefined;
  closing.add(() => thread?.close());
  await refuseUnfinishedRestore(config.dataDir);
  const secretKey = config.secretKey ?? (await dataDirectory.secret("secret.key"));

  const database = await openPostgres({
    url: config.databaseUrl,
    directUrl: config.databaseDirectUrl,
    maxConnections: connectionLimits(config, thread !== undefined).main,
    dataDir: join(config.dataDir, "postgres"),
    slowQueryMs: config.slowQueryMs,
    onSlowQuery: onSlowQuery("postgres"),
    onError: (error) => logger.error({ err: error }, "database connection failed"),
    onProblem: (error) => logger.error({ err: error }, "the embedded PostgreSQL has a problem"),
    onReadOnly: (isReadOnly) => thread?.setReadOnly(isReadOnly),
    onLog: (line) => logger[isProblem(line) ? "error" : "debug"]({ engine: "postgres" }, line),
  });
  closing.add(database.close);
  times.ended("postgres");
  // Added once more, because what is added later is closed earlier: the thread has connections to the database.
  closing.add(() => thread?.close());
  await namingEngine(config.databaseUrl === undefined ? undefined : POSTGRES, () => requireVersion(database));
  if (config.databaseDirectUrl !== undefined) await requirePoolerSettings(database);
  const migrations = await migrate(database);
  if (migrations.length > 0) logger.info({ migrations }, "database migrated");
  times.ended("migrations");
  const workerId = await dataDirectory.secret("worker.id");
  const wakeUps = new WakeUps({ database, logger });
  closing.add(() => wakeUps.close());
  await wakeUps.start();
  const leases = new WorkLeases({ database, logger, wakeUps, place: workerId });
  closing.add(() => leases.close());
  await leases.start();

  times.ended("leases");
  const log = openLog(config, database, logger);
  closing.add(() => log.close());

  const questions = questionThread
    ? await questionThread.open(config)
    : await openOwnQuestions(
        config,
        options.openQuestions ?? openQuestions,
        questionsEvents(logger, onSlowQuery("questions"), onQuestionsOpened),
      );
  if (!questionThread) closing.add(() => questions.close());
  times.ended("questions");
  // With CLICKHOUSE_URL each thread has its own client. The tables were migrated by the first one.
  const questionsPort = questionThread?.pipelinePort;
  if (thread) {
    // The thread may compute for longer than its leases run, so this one renews them too.
    const [holderId, shared] = [randomUUID(), shareRenewal()];
    const keeper = new LeaseKeeper({ database, logger, holderId, shared });
    closing.add(() => keeper.close());
    keeper.start();
    const settings = { config, databaseUrl: database.url, secretKey, workerId, questionsPort };
    await thread.open({ ...settings, holderId, renewal: shared.buffer });
  }
  times.ended("pipeline");
  return {
    database,
    log,
    // What a process without an engine has in its place refuses every question, also those that it does not list.
    questions: rolesWithQuestions(config.roles).length === 0 ? questions : underCurrentNames(database, questions),
    leases,
    wakeUps,
    thread,
    disk: new DiskSpace(config.dataDir, RESERVED_BYTES),
    secretKey,
    vault: createVault(secretKey),
    adminToken: config.adminToken ?? (await dataDirectory.secret("admin.token")),
    workerId,
  };
}

/** The question engine of this thread, if the roles of this process need one. */
async function openOwnQuestions(
  config: Config,
  open: typeof openQuestions,
  events: QuestionsEvents,
): Promise<Questions> {
  if (rolesWithQuestions(config.roles).length === 0) return withoutQuestions();
  return namingEngine(config.clickhouseUrl === undefined ? undefined : CLICKHOUSE, () => open(config, events));
}

/** Whether a line of PostgreSQL's log tells a problem. Processes that a stop ends say FATAL too. */
function isProblem(line: string): boolean {
  return / (FATAL|PANIC): /.test(line) && !line.endsWith("due to administrator command");
}
