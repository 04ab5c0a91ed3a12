import { randomBytes } from "node:crypto";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { createBrand } from "@muster/protocol";
import type { Logger } from "pino";
import { Addresses, listeningUrl, localUrl } from "../domain/organizations/addresses.js";
import { buildApp } from "../http/app.js";
import type { App } from "../http/app-type.js";
import { SessionCookie } from "../http/auth/session-cookie.js";
import { Throttle } from "../http/auth/throttle.js";
import { VisitorCookies } from "../http/auth/visitor-cookies.js";
import { PageLimits } from "../http/hooks/page-limits.js";
import { registerRoutes } from "../http/register-routes.js";
import { DashboardFiles } from "../http/routes/dashboard/dashboard-files.js";
import { readTls } from "../http/tls.js";
import { openMembers } from "../members/open-members.js";
import { ensureFirstCredentials, type FirstCredentials } from "../organizations/first-start.js";
import { Organizations } from "../organizations/organizations.js";
import { Overview } from "../overview/overview.js";
import { Problems } from "../pipeline/problems.js";
import { Rebuilds } from "../pipeline/project/rebuilds.js";
import { RejectedEntries } from "../pipeline/rejected-entries.js";
import { openPlatforms } from "../platforms/open-platforms.js";
import { Closing } from "../runtime/loops/closing.js";
import { createMetrics } from "../runtime/measures/metrics.js";
import { StartTimes } from "../runtime/measures/start-times.js";
import { ownThreadId } from "../runtime/measures/thread-times.js";
import type { Config } from "../runtime/settings/config.js";
import { dataSettings } from "../runtime/settings/data-settings.js";
import { Threads } from "../runtime/threads/threads.js";
import type { IngestionLog } from "../storage/ingest-log/ingestion-log.js";
import { ConnectorStore } from "../storage/postgres/connectors/connectors.js";
import type { Database } from "../storage/postgres/database.js";
import type { Questions } from "../storage/questions/questions.js";
import { Backups } from "../upkeep/backup/backups.js";
import { CertificateChecks } from "../upkeep/certificate-checks.js";
import { readConnectionGauges } from "../upkeep/connection-checks.js";
import { HealthChecks } from "../upkeep/health-checks.js";
import { LogRelocations } from "../upkeep/log-relocations.js";
import { ServerChecks } from "../upkeep/server-checks.js";
import { readServerGauges } from "../upkeep/server-gauges.js";
import { ServerStatuses } from "../upkeep/server-status.js";
import { checkEngines } from "./check-engines.js";
import { noteServer } from "./note-server.js";
import { type OpenEnginesOptions, openEngines } from "./open-engines.js";
import { questionsFolderOf } from "./open-questions.js";
import { openServices, type Services } from "./open-services.js";
import { ownEmbeddedEngine } from "./own-embedded-engine.js";

export interface Server {
  app: App;
  database: Database;
  log: IngestionLog;
  questions: Questions;
  addresses: Addresses;
  first: FirstCredentials | undefined;
  /** On the first start, the address of a page that signs the operator in once. */
  signInUrl: string | undefined;
  dashboard: DashboardFiles;
  /** Starts to accept requests. */
  listen(): Promise<void>;
  /** Stops accepting requests, finishes work that was begun, and closes the engines. */
  close(): Promise<void>;
}

/** What tests replace, and where a process has the times of its start counted. */
export type OpenServerOptions = Pick<OpenEnginesOptions, "openQuestions"> & { times?: StartTimes };

/** Roles that answer requests. The others join when their work starts. */
const SERVED = ["api", "gateway", "dashboard"] as const;

/** The link that the first start prints works for a day: people read what a server has printed later than a mail. */
const FIRST_LINK_MINUTES = 24 * 60;

/** Opens everything but the process: the engines, the services that use them, and the HTTP application on top. */
export async function openServer(config: Config, logger: Logger, options: OpenServerOptions = {}): Promise<Server> {
  const closing = new Closing();
  try {
    return await open(config, logger, closing, options);
  } catch (error) {
    await closing.closeAll();
    throw error;
  }
}

async function open(config: Config, logger: Logger, closing: Closing, options: OpenServerOptions): Promise<Server> {
  const { times = new StartTimes() } = options;
  const https = await readTls(config);
  const metrics = createMetrics();
  metrics.threadTimes.add("main", ownThreadId());
  const brand = createBrand(config.brand);
  let services: Services | undefined;
  const threads = new Threads({ logLevel: config.logLevel, logger, metrics });
  const engines = await openEngines(config, {
    ...options,
    logger,
    metrics,
    threads,
    closing,
    times,
    onQuestionsOpened: (organizationId) => services?.pipeline.catchUpSoon(organizationId),
    // Everything that was acknowledged is in the log, and the next start goes on from the cursors.
    onThreadFailed(error, thread) {
      logger.error({ err: error, thread }, "a thread has failed, and the server ends");
      process.exit(1);
    },
  });
  const { database, log, questions, adminToken } = engines;
  const connectorStore = new ConnectorStore(database, engines.vault);
  const organizations = new Organizations(database, async () => {
    connectorStore.forgetRecent();
    await services?.followOrganizations();
  });
  const first = await ensureFirstCredentials({ organizations, connectors: connectorStore });
  const publicUrl = config.publicUrl ?? listeningUrl({ ...config, protocol: https ? "https" : "http" });
  const addresses = new Addresses(publicUrl, config.baseDomain);
  const { roles } = config;
  // Before the services, because what is opened first is closed last: they fill the engine until they have stopped.
  if (roles.includes("worker") && config.clickhouseUrl === undefined)
    closing.add(await ownEmbeddedEngine(engines.leases, logger));
  let callbackUrl = addresses.publicUrl;
  services = await openServices(config, {
    callbackUrl: () => callbackUrl,
    engines,
    connectorStore,
    brand,
    addresses,
    logger,
    metrics,
    threads,
    closing,
  });
  const { connectors, deliveries, pipeline, jobs, audience, refusedAttributes, bundled } = services;
  const { startWork, startJobs, startAdmission, startCalls } = services;
  if (roles.includes("worker")) await startWork();
  if (roles.includes("jobs")) await startJobs();
  times.ended("services");
  const questionsFolder = config.clickhouseUrl === undefined ? questionsFolderOf(config) : undefined;
  const natsLog = config.natsUrl === undefined ? undefined : log;
  readServerGauges({ metrics, database, questions, natsLog, questionsFolder, disk: engines.disk });

  const members = openMembers({ database, addresses, mailer: services.mailer, logger });
  const firstLink = first?.areNew
    ? await members.signIn.createLink({ lifetimeMinutes: FIRST_LINK_MINUTES })
    : undefined;
  const sessionCookie = new SessionCookie(addresses.publicUrl);
  const { userTokenMaxDays } = config;
  const visitorCookies = new VisitorCookies({
    brand,
    publicUrl: addresses.publicUrl,
    secretKey: engines.secretKey,
    userTokenMaxDays,
  });
  const problems = new Problems(database);
  const overview = new Overview({
    database,
    questions,
    problems,
    search: audience.search,
    connectors: connectors.connectors,
    deliveryStates: deliveries.deliveryStates,
  });
  const platforms = openPlatforms({ database, connectors: connectorStore, secretKey: engines.secretKey });
  const authentication = {
    connectors: connectorStore,
    organizations,
    sessions: members.sessions,
    users: audience.subjects,
    platforms: platforms.platforms,
    brand,
    baseDomain: config.baseDomain,
    adminToken,
    userTokenMaxDays,
    throttle: new Throttle(config.authFailuresPerMinute),
  };
  const backups = new Backups({
    database,
    logger,
    secretKey: engines.secretKey,
    settings: dataSettings(config),
    filesFolder: join(config.dataDir, "files"),
    hasBucket: config.s3Bucket !== undefined,
  });
  const dashboard = new DashboardFiles(brand);
  const serverKey = randomBytes(32).toString("hex");
  const app = await buildApp({
    authentication,
    sessionCookie,
    visitorCookies,
    logger,
    bodyLimitBytes: config.bodyLimitBytes,
    requestTimeoutMs: config.requestTimeoutMs,
    trustProxy: config.trustProxy,
    roles,
    ...(https ? { https } : {}),
    routes: (app) =>
      registerRoutes(app, {
        brand,
        addresses,
        authentication,
        organizations,
        members,
        sessionCookie,
        visitorCookies,
        connectors,
        deliveries,
        platforms,
        jobs,
        audience,
        pipeline,
        rejectedEntries: new RejectedEntries({ database, intake: pipeline.intake, brand }),
        refusedAttributes,
        problems,
        overview,
        operations: {
          metrics,
          metricsToken: config.metricsToken,
          serverKey,
          checkEngines: () => checkEngines(database, questions),
          statuses: new ServerStatuses({ database, questions, disk: engines.disk }),
          checks: new HealthChecks({
            database,
            questions,
            natsLog,
            disk: engines.disk,
            problems,
            callPermit: deliveries.callPermit,
            publicUrl: () => addresses.publicUrl,
            canMail: config.smtpUrl !== undefined,
            server: new ServerChecks({
              database,
              questions,
              questionsFolder,
              directory: connectors.directory,
              bundled,
              connections: app.connections,
              certificates: new CertificateChecks({
                publicUrl: () => addresses.publicUrl,
                connectorUrls: () => connectors.directory.calledUrls(),
              }),
            }),
          }),
          retention: config,
          backups,
          logRelocations: new LogRelocations({ database, log }),
          rebuilds: new Rebuilds({ database, questions, onRequest: (id) => pipeline.catchUpSoon(id) }),
        },
        gateway: { limitBytes: config.gatewayLimitBytes, maxEntries: config.gatewayLimitEntries },
        pageLimits: new PageLimits(config.browserRecordsPerMinute),
        dashboard,
        threads,
      }),
  });
  readConnectionGauges(metrics, app.connections);
  app.addHook("onResponse", async (request, reply) => {
    const labels = { method: request.method, route: request.routeOptions.url ?? "", status: reply.statusCode };
    metrics.requests.observe(labels, reply.elapsedTime / 1_000);
  });
  closing.add(() => app.close());
  closing.add(() => backups.stop());

  return {
    app,
    database,
    log,
    questions,
    addresses,
    first,
    get signInUrl() {
      return firstLink && members.signIn.linkUrl(firstLink);
    },
    dashboard,
    async listen() {
      times.ended("http");
      await app.listen({ host: config.host, port: config.port });
      const [{ port }] = app.addresses() as [AddressInfo];
      addresses.listeningOn(port);
      // A certificate is for the name in the public address.
      const url = https ? addresses.publicUrl : localUrl({ host: config.host, port });
      // This process itself, unless another one has what connectors call.
      const servesConnectors = roles.includes("gateway") && (roles.includes("api") || roles.includes("dashboard"));
      callbackUrl = servesConnectors ? url : addresses.publicUrl;
      closing.add(await noteServer(config.dataDir, { url, key: serverKey }, logger));
      if (roles.includes("gateway")) startAdmission();
      if (roles.includes("deliver")) startCalls();
      // Now they are served here, which the checks of the server tell.
      for (const role of SERVED) if (roles.includes(role)) engines.leases.join(role);
      times.ended("listen");
    },
    close: () => closing.closeAll(),
  };
}
