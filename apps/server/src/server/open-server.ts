import { join } from "node:path";
import { createBrand } from "@muster/protocol";
import type { Logger } from "pino";
import { openAudience } from "../audience/open-audience.js";
import { openConnectors } from "../connectors/open-connectors.js";
import { openDeliveries } from "../deliveries/open-deliveries.js";
import { parsePosition } from "../domain/entries/lanes.js";
import { Addresses } from "../domain/organizations/addresses.js";
import { buildApp } from "../http/app.js";
import type { App } from "../http/app-type.js";
import { Throttle } from "../http/auth/throttle.js";
import { registerRoutes } from "../http/register-routes.js";
import { readTls } from "../http/tls.js";
import { openJobs } from "../jobs/open-jobs.js";
import { startAugmenter } from "../jobs/upkeep/augment-entities.js";
import { startUpkeep } from "../jobs/upkeep/upkeep.js";
import { ensureFirstCredentials, type FirstCredentials } from "../organizations/first-start.js";
import { Organizations } from "../organizations/organizations.js";
import { createGuardedFetch } from "../outbound/guarded-fetch.js";
import { openMailer } from "../outbound/mailer.js";
import { createTrustedFetch } from "../outbound/trusted-fetch.js";
import { readApplyRules } from "../pipeline/apply/apply-rules.js";
import { checkEngines } from "../pipeline/check-engines.js";
import { Pipeline } from "../pipeline/pipeline.js";
import { Rebuilds } from "../pipeline/project/rebuilds.js";
import { RejectedEntries } from "../pipeline/rejected-entries.js";
import { openPlatforms } from "../platforms/open-platforms.js";
import type { Config } from "../runtime/config.js";
import { openDataDirectory } from "../runtime/data-directory.js";
import { createMetrics } from "../runtime/metrics.js";
import { createVault } from "../runtime/vault.js";
import { ConnectorStore } from "../storage/postgres/connectors/connectors.js";
import type { Database } from "../storage/postgres/database.js";
import { migrate } from "../storage/postgres/migrate.js";
import { openPostgres } from "../storage/postgres/open-postgres.js";
import type { Questions } from "../storage/questions/questions.js";
import { openQuestions } from "./open-questions.js";

export interface Server {
  app: App;
  database: Database;
  questions: Questions;
  addresses: Addresses;
  first: FirstCredentials | undefined;
  /** Starts to accept requests. */
  listen(): Promise<void>;
  /** Stops accepting, finishes what was begun, closes the engines. */
  close(): Promise<void>;
}

/** Opens the engines, brings them up to date and builds the application: everything but the process. */
export async function openServer(config: Config, logger: Logger): Promise<Server> {
  const closing: (() => Promise<void>)[] = [];
  const closeAll = async () => {
    for (const close of closing.reverse()) await close();
  };
  try {
    let pipeline: Pipeline | undefined;
    const https = await readTls(config);
    const metrics = createMetrics();
    const onSlowQuery = (engine: string) => (sql: string, durationMs: number) => {
      metrics.slowQueries.inc({ engine });
      logger.warn({ engine, durationMs, sql }, "slow query");
    };
    const dataDirectory = await openDataDirectory(config.dataDir);
    closing.push(dataDirectory.release);
    const secretKey = config.secretKey ?? (await dataDirectory.secret("secret.key"));
    const vault = createVault(secretKey);
    const adminToken = config.adminToken ?? (await dataDirectory.secret("admin.token"));

    const database = await openPostgres({
      url: config.databaseUrl,
      dataDir: join(config.dataDir, "postgres"),
      slowQueryMs: config.slowQueryMs,
      onSlowQuery: onSlowQuery("postgres"),
      onError: (error) => logger.error({ err: error }, "database connection failed"),
      onLog: (line) => logger[/ (FATAL|PANIC): /.test(line) ? "error" : "debug"]({ engine: "postgres" }, line),
    });
    closing.push(database.close);
    const migrations = await migrate(database);
    if (migrations.length > 0) logger.info({ migrations }, "database migrated");

    const questions = await openQuestions(config, {
      onSlow: onSlowQuery("questions"),
      onOpened: (organizationId) => pipeline?.catchUpSoon(organizationId),
      onProblem: (error, message, organizationId) => logger.warn({ err: error, organizationId }, message),
    });
    closing.push(questions.close);

    const brand = createBrand(config.brand);
    const connectors = new ConnectorStore(database, vault);
    const organizations = new Organizations(database);
    const first = await ensureFirstCredentials({ organizations, connectors });
    const addresses = new Addresses(
      config.publicUrl ?? `${https ? "https" : "http"}://${config.host}:${config.port}`,
      config.baseDomain,
    );

    const upkeep = await startUpkeep({ database, questions, logger, logRetentionDays: config.logRetentionDays });
    closing.push(() => upkeep.stop());
    const mailer = config.smtpUrl === undefined ? undefined : openMailer(config.smtpUrl, config.mailFrom);
    closing.push(async () => mailer?.close());
    const trustedFetch = createTrustedFetch();
    closing.push(async () => trustedFetch.close());
    const calls = { database, addresses, logger, fetch: trustedFetch, timeoutMs: config.deliveryTimeoutMs };
    const { services: connectorServices, close: closeConnectors } = await openConnectors({
      ...calls,
      store: connectors,
      mailer,
      mailTo: config.adminEmails,
      onConnectorChange: (connector) => deliveryServices.notices.connectorChanged(connector),
    });
    closing.push(closeConnectors);
    const { directory, scheduler } = connectorServices;
    const { services: deliveryServices, close: closeDeliveries } = openDeliveries({
      ...calls,
      directory,
      questions,
      maxAttributes: config.maxAttributes,
      vault,
      brand,
      metrics,
      limits: {
        attempts: config.deliveryAttempts,
        firstRetryMs: config.deliveryRetryMs,
        maxAgeMs: config.deliveryMaxAgeHours * 60 * 60 * 1_000,
      },
    });
    closing.push(closeDeliveries);
    const { deliveryLoops, notices } = deliveryServices;
    const applyRules = readApplyRules(config);
    pipeline = new Pipeline({
      database,
      questions,
      metrics,
      logger,
      accept: {
        brand,
        maxBacklogEntries: config.maxBacklogEntries,
        dataDir: config.databaseUrl ? undefined : config.dataDir,
      },
      apply: { rules: applyRules, bulkEvery: config.bulkEvery },
      notify: { directory, onQueued: (connectorIds) => deliveryLoops.wake(connectorIds) },
      waitLimitMs: config.waitLimitMs,
    });
    closing.push(() => pipeline.stop());
    if (config.roles.includes("worker")) await pipeline.start();

    const jobs = openJobs(config, {
      database,
      questions,
      logger,
      metrics,
      // One process at a time has the data directory.
      runner: { holder: await dataDirectory.secret("worker.id") },
      imports: { pipeline, applyRules },
      exports: { directory, onQueued: (connectorIds) => deliveryLoops.wake(connectorIds) },
      callbacks: { connectors },
      links: { secretKey, addresses },
    });
    closing.push(() => jobs.stop());
    if (config.roles.includes("worker")) {
      await jobs.start();
      const { allowPrivateNetwork } = config;
      const augmenter = await startAugmenter({ database, fetch: createGuardedFetch({ allowPrivateNetwork }), logger });
      closing.push(() => augmenter.stop());
    }

    const audience = openAudience({
      database,
      questions,
      writer: {
        accept: (organizationId, entry) => pipeline.intake.acceptEntries(organizationId, entry.connectorId, [entry]),
        waitFor: (organizationId, position) => pipeline.waitFor(organizationId, parsePosition(position) ?? {}),
      },
      findConnector: (organizationId, id) => connectors.find(organizationId, id),
      maxAttributes: config.maxAttributes,
      async onSegmentChange(organizationId, segment, action) {
        pipeline.sweepSoon(organizationId);
        await notices.segmentChanged(organizationId, segment, action);
      },
    });

    const authentication = {
      connectors,
      organizations,
      brand,
      baseDomain: config.baseDomain,
      adminToken,
      throttle: new Throttle(config.authFailuresPerMinute),
    };
    const app = await buildApp({
      authentication,
      logger,
      bodyLimitBytes: config.bodyLimitBytes,
      requestTimeoutMs: config.requestTimeoutMs,
      trustProxy: config.trustProxy,
      ...(https ? { https } : {}),
      routes: (app) =>
        registerRoutes(app, {
          organizations,
          ...connectorServices,
          ...deliveryServices,
          ...openPlatforms({ database, connectors }),
          brand,
          metrics,
          metricsToken: config.metricsToken,
          addresses,
          authentication,
          pipeline,
          rejectedEntries: new RejectedEntries({ database, intake: pipeline.intake }),
          rebuilds: new Rebuilds({ database, questions, onRequest: (id) => pipeline.catchUpSoon(id) }),
          checkEngines: () => checkEngines(database, questions),
          ...jobs.services,
          audience,
          gateway: { limitBytes: config.gatewayLimitBytes, limitEntries: config.gatewayLimitEntries },
        }),
    });
    app.addHook("onResponse", async (request, reply) => {
      const labels = { method: request.method, route: request.routeOptions.url ?? "", status: reply.statusCode };
      metrics.requests.observe(labels, reply.elapsedTime / 1_000);
    });
    closing.push(() => app.close());

    return {
      app,
      database,
      questions,
      addresses,
      first,
      async listen() {
        await app.listen({ host: config.host, port: config.port });
        const [address] = app.addresses();
        if (typeof address === "object") addresses.listeningOn(address.port);
        // Connectors call the API while they are called, so the calls begin when the API answers.
        if (config.roles.includes("worker")) {
          deliveryLoops.start();
          scheduler.start();
        }
      },
      close: closeAll,
    };
  } catch (error) {
    await closeAll();
    throw error;
  }
}
