import { join } from "node:path";
import type { Logger } from "pino";
import type { Config } from "../runtime/config.js";
import { openDataDirectory } from "../runtime/data-directory.js";
import { DiskSpace, RESERVED_BYTES } from "../runtime/disk-space.js";
import type { Metrics } from "../runtime/metrics.js";
import { refuseUnfinishedRestore } from "../runtime/unfinished-restore.js";
import { createVault, type Vault } from "../runtime/vault.js";
import type { Database } from "../storage/postgres/database.js";
import { migrate } from "../storage/postgres/migrate.js";
import { openPostgres } from "../storage/postgres/open-postgres.js";
import { requireVersion } from "../storage/postgres/require-version.js";
import type { Questions } from "../storage/questions/questions.js";
import type { Closing } from "./closing.js";
import { openQuestions } from "./open-questions.js";

export interface OpenEnginesOptions {
  logger: Logger;
  metrics: Metrics;
  closing: Closing;
  /** Is told when the question engine opens what it holds of an organization, which may be out of date. */
  onQuestionsOpened(organizationId: string): void;
}

/** The data directory with its secrets, and the two engines. */
export interface Engines {
  database: Database;
  questions: Questions;
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
  { logger, metrics, closing, onQuestionsOpened }: OpenEnginesOptions,
): Promise<Engines> {
  const onSlowQuery = (engine: string) => (sql: string, durationMs: number) => {
    metrics.slowQueries.inc({ engine });
    logger.warn({ engine, durationMs, sql }, "slow query");
  };
  const dataDirectory = await openDataDirectory(config.dataDir);
  closing.add(dataDirectory.release);
  await refuseUnfinishedRestore(config.dataDir);
  const secretKey = config.secretKey ?? (await dataDirectory.secret("secret.key"));

  const database = await openPostgres({
    url: config.databaseUrl,
    dataDir: join(config.dataDir, "postgres"),
    slowQueryMs: config.slowQueryMs,
    onSlowQuery: onSlowQuery("postgres"),
    onError: (error) => logger.error({ err: error }, "database connection failed"),
    onProblem: (error) => logger.error({ err: error }, "the embedded PostgreSQL has a problem"),
    onLog: (line) => logger[/ (FATAL|PANIC): /.test(line) ? "error" : "debug"]({ engine: "postgres" }, line),
  });
  closing.add(database.close);
  await requireVersion(database);
  const migrations = await migrate(database);
  if (migrations.length > 0) logger.info({ migrations }, "database migrated");

  const questions = await openQuestions(config, {
    onSlow: onSlowQuery("questions"),
    onOpened: onQuestionsOpened,
    onProblem: (error, message, organizationId) => logger.warn({ err: error, organizationId }, message),
  });
  closing.add(questions.close);
  return {
    database,
    questions,
    disk: new DiskSpace(config.dataDir, RESERVED_BYTES),
    secretKey,
    vault: createVault(secretKey),
    adminToken: config.adminToken ?? (await dataDirectory.secret("admin.token")),
    workerId: await dataDirectory.secret("worker.id"),
  };
}
