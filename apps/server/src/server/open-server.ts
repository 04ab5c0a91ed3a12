import { createBrand } from "@muster/protocol";
import type { Logger } from "pino";
import { Addresses } from "../domain/organizations/addresses.js";
import { buildApp } from "../http/app.js";
import type { App } from "../http/app-type.js";
import { Throttle } from "../http/auth/throttle.js";
import { registerRoutes } from "../http/register-routes.js";
import { PageLimits } from "../http/routes/pages/page-limits.js";
import { readTls } from "../http/tls.js";
import { ensureFirstCredentials, type FirstCredentials } from "../organizations/first-start.js";
import { Organizations } from "../organizations/organizations.js";
import { Problems } from "../pipeline/problems.js";
import { Rebuilds } from "../pipeline/project/rebuilds.js";
import { RejectedEntries } from "../pipeline/rejected-entries.js";
import { openPlatforms } from "../platforms/open-platforms.js";
import type { Config } from "../runtime/config.js";
import { createMetrics } from "../runtime/metrics.js";
import { ConnectorStore } from "../storage/postgres/connectors/connectors.js";
import type { Database } from "../storage/postgres/database.js";
import type { Questions } from "../storage/questions/questions.js";
import { checkEngines } from "./check-engines.js";
import { Closing } from "./closing.js";
import { openEngines } from "./open-engines.js";
import { openServices, type Services } from "./open-services.js";
import { ownEmbeddedEngine } from "./own-embedded-engine.js";

export interface Server {
  app: App;
  database: Database;
  questions: Questions;
  addresses: Addresses;
  first: FirstCredentials | undefined;
  /** Starts to accept requests. */
  listen(): Promise<void>;
  /** Stops accepting requests, finishes work that was begun, and closes the engines. */
  close(): Promise<void>;
}

/** Opens everything but the process: the engines, the services that use them, and the HTTP application on top. */
export async function openServer(config: Config, logger: Logger): Promise<Server> {
  const closing = new Closing();
  try {
    return await open(config, logger, closing);
  } catch (error) {
    await closing.closeAll();
    throw error;
  }
}

async function open(config: Config, logger: Logger, closing: Closing): Promise<Server> {
  const https = await readTls(config);
  const metrics = createMetrics();
  const brand = createBrand(config.brand);
  let services: Services | undefined;
  const engines = await openEngines(config, {
    logger,
    metrics,
    closing,
    onQuestionsOpened: (organizationId) => services?.pipeline.catchUpSoon(organizationId),
  });
  const { database, questions, adminToken } = engines;
  const connectorStore = new ConnectorStore(database, engines.vault);
  const organizations = new Organizations(database, async () => {
    connectorStore.forgetRecent();
    await services?.followOrganizations();
  });
  const first = await ensureFirstCredentials({ organizations, connectors: connectorStore });
  const publicUrl = config.publicUrl ?? `${https ? "https" : "http"}://${config.host}:${config.port}`;
  const addresses = new Addresses(publicUrl, config.baseDomain);
  const isWorker = config.roles.includes("worker");
  // Before the services, because what is opened first is closed last: they fill the engine until they have stopped.
  if (isWorker && config.clickhouseUrl === undefined) closing.add(await ownEmbeddedEngine(database, logger));
  services = await openServices(config, { engines, connectorStore, brand, addresses, logger, metrics, closing });
  const { connectors, deliveries, pipeline, jobs, audience, startWork, startCalls } = services;
  if (isWorker) await startWork();

  const platforms = openPlatforms({ database, connectors: connectorStore });
  const authentication = {
    connectors: connectorStore,
    organizations,
    users: audience.subjects,
    platforms: platforms.platforms,
    brand,
    baseDomain: config.baseDomain,
    adminToken,
    userTokenMaxDays: config.userTokenMaxDays,
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
        brand,
        addresses,
        authentication,
        organizations,
        connectors,
        deliveries,
        platforms,
        jobs,
        audience,
        pipeline,
        rejectedEntries: new RejectedEntries({ database, intake: pipeline.intake }),
        problems: new Problems(database),
        operations: {
          metrics,
          metricsToken: config.metricsToken,
          checkEngines: () => checkEngines(database, questions),
          rebuilds: new Rebuilds({ database, questions, onRequest: (id) => pipeline.catchUpSoon(id) }),
        },
        gateway: { limitBytes: config.gatewayLimitBytes, limitEntries: config.gatewayLimitEntries },
        pageLimits: new PageLimits(config.browserRecordsPerMinute),
      }),
  });
  app.addHook("onResponse", async (request, reply) => {
    const labels = { method: request.method, route: request.routeOptions.url ?? "", status: reply.statusCode };
    metrics.requests.observe(labels, reply.elapsedTime / 1_000);
  });
  closing.add(() => app.close());

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
      if (isWorker) startCalls();
    },
    close: () => closing.closeAll(),
  };
}
