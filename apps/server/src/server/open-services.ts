import { type Brand, createBrand, HOUR_MS, typeOfId } from "@muster/protocol";
import type { Logger } from "pino";
import { type Audience, openAudience } from "../audience/open-audience.js";
import { type ConnectorServices, openConnectors } from "../connectors/open-connectors.js";
import { type DeliveryServices, openDeliveries } from "../deliveries/open-deliveries.js";
import { channelName } from "../domain/delivery/subscription.js";
import { parsePosition } from "../domain/entries/lanes.js";
import type { Addresses } from "../domain/organizations/addresses.js";
import { type JobServices, openJobs } from "../jobs/open-jobs.js";
import type { BundledConnectors } from "../outbound/bundled/bundled-connectors.js";
import { createGuardedFetch, type GuardedFetch } from "../outbound/guarded-fetch.js";
import { type Mailer, openMailer } from "../outbound/mailer.js";
import { createTrustedFetch, type TrustedFetch } from "../outbound/trusted-fetch.js";
import { openAdmission } from "../pipeline/accept/open-admission.js";
import { RefusedAttributes } from "../pipeline/accept/refused-attributes.js";
import { readApplyRules } from "../pipeline/apply/apply-rules.js";
import { Pipeline } from "../pipeline/pipeline.js";
import { eraseLateWrites } from "../pipeline/project/erase-late-writes.js";
import { Stages } from "../pipeline/stages.js";
import type { Closing } from "../runtime/loops/closing.js";
import type { Metrics } from "../runtime/measures/metrics.js";
import type { Config } from "../runtime/settings/config.js";
import { destinationsFolder } from "../runtime/settings/destinations-folder.js";
import type { Threads } from "../runtime/threads/threads.js";
import type { ConnectorStore } from "../storage/postgres/connectors/connectors.js";
import { LagRecorder } from "../storage/postgres/figures/lag-recorder.js";
import { findMember } from "../storage/postgres/members/members.js";
import { findPlatform } from "../storage/postgres/objects/platforms.js";
import { createPartitions } from "../storage/postgres/partitions.js";
import { startAugmenter } from "../upkeep/augment-entities.js";
import { startOrganizationDeletion } from "../upkeep/delete-organizations.js";
import { startErasureLoop } from "../upkeep/erasure-loop.js";
import { startRetention } from "../upkeep/retention.js";
import { startUpkeep } from "../upkeep/upkeep.js";
import { installationRefusal } from "./installation-refusal.js";
import { openBundledConnectors } from "./open-bundled-connectors.js";
import type { Engines } from "./open-engines.js";

export interface OpenServicesOptions {
  engines: Engines;
  connectorStore: ConnectorStore;
  brand: Brand;
  addresses: Addresses;
  logger: Logger;
  metrics: Metrics;
  threads: Threads;
  closing: Closing;
  /** Where connectors in the child process call this server. Known when it listens. */
  callbackUrl(): string;
}

export interface Services {
  connectors: ConnectorServices;
  deliveries: DeliveryServices;
  pipeline: Pipeline;
  jobs: JobServices;
  audience: Audience;
  refusedAttributes: RefusedAttributes;
  /** Missing when the server does not run the connectors that come with it. */
  bundled: BundledConnectors | undefined;
  /** Missing when the server cannot send mail. */
  mailer: Mailer | undefined;
  /** Makes this process see at once that an organization was enabled, disabled or deleted. */
  followOrganizations(): Promise<void>;
  /** Starts the stages of the pipeline after accept. */
  startWork(): Promise<void>;
  /** Starts jobs, erasures and other upkeep. */
  startJobs(): Promise<void>;
  /** Gets ready for batches of the gateway. */
  startAdmission(): void;
  /**
   * Starts to call connectors, unless a restore has forbidden it. They call the API in return, so the API must answer by
   * then.
   */
  startCalls(): void;
}

/** Opens the services in the order in which they need one another. */
export async function openServices(config: Config, options: OpenServicesOptions): Promise<Services> {
  const { closing, engines, logger } = options;
  const { database, log, questions, leases, wakeUps } = engines;
  const { logRetentionDays, traceRetentionDays, historyRetentionDays } = config;
  const dailyRetention = {
    ingest_log: logRetentionDays,
    connector_logs: traceRetentionDays,
    traces: traceRetentionDays,
  };
  // Without them no entry can be accepted, so they are there before the server starts. Upkeep creates the next ones.
  await createPartitions(database, new Date());
  const guardedFetch = createGuardedFetch({ allowPrivateNetwork: config.allowPrivateNetwork });
  const own = config.bundledConnectors ? openBundledConnectors(config, options) : undefined;
  const bundled = own?.bundled;
  // The last of the two to close: connectors finish what they were called for.
  closing.add(() => Promise.all([own?.bundled.close(), own?.destinations.close()]));
  const trustedFetch = createTrustedFetch(own && { ...own, allowedDestinations: config.destinations });
  closing.add(() => trustedFetch.close());
  const mailer = config.smtpUrl === undefined ? undefined : openMailer(config.smtpUrl, config.mailFrom);
  closing.add(() => mailer?.close());
  const calls = { fetch: trustedFetch, bundled, guardedFetch, mailer };
  const lags = new LagRecorder({ database, logger });
  closing.add(() => lags.close());
  lags.start();
  const measured = { ...options, lags };
  const { connectors, deliveries } = await openConnectorsAndDeliveries(config, measured, calls);
  const { pipeline, toConnectors, applyRules, admission } = openPipeline(config, measured, connectors, deliveries);
  const jobs = openJobs(config, {
    database,
    questions,
    disk: engines.disk,
    logger,
    metrics: options.metrics,
    vault: engines.vault,
    guardedFetch,
    trustedFetch,
    runner: { holder: engines.workerId },
    onScheduled() {
      if (leases.hasOthers("jobs")) wakeUps.tell("jobs");
    },
    imports: { pipeline, applyRules, threads: options.threads },
    exports: toConnectors,
    rewrites: {
      relaySoon: (organizationId) => pipeline.catchUpSoon(organizationId),
      sweepSoon: (organizationId) => pipeline.sweepSoon(organizationId),
    },
    connectors: options.connectorStore,
    links: { secretKey: engines.secretKey, addresses: options.addresses },
  });
  wakeUps.on("jobs", () => jobs.wake());
  closing.add(() => jobs.stop());
  const audience = openAudience({
    database,
    questions,
    writer: {
      accept: (organizationId, entry) => pipeline.intake.acceptEntries(organizationId, entry.connectorId, [entry]),
      waitFor: (organizationId, position) => pipeline.waitFor(organizationId, parsePosition(position) ?? {}),
    },
    // A page without a token writes as its platform.
    findConnector: (organizationId, id) =>
      typeOfId(id) === "platform"
        ? findPlatform(database, organizationId, id)
        : options.connectorStore.find(organizationId, id),
    findMember: (id) => findMember(database, id),
    listenersOf: (organizationId, subjectType) =>
      connectors.directory
        .subscribersOf(organizationId)
        .filter(({ subscriptions }) =>
          subscriptions.some((subscription) => channelName(subscription, `${subjectType}:update`) !== undefined),
        )
        .map(({ connector }) => ({ id: connector.id, name: connector.name })),
    maxAttributes: config.maxAttributes,
    maxEntities: config.maxEntities,
    maxComputedAttributes: config.maxComputedAttributes,
    maxSegments: config.maxSegments,
    logRetentionDays: config.logRetentionDays,
    // Clients of the service before Muster speak its brand: those of ours do not read these keys.
    olderEventKeys: options.brand.word !== createBrand().word,
    async onSegmentChange(organizationId, segment, action) {
      pipeline.sweepSoon(organizationId);
      await deliveries.notices.segmentChanged(organizationId, segment, action);
    },
    onComputedChange: (organizationId) => pipeline.sweepSoon(organizationId),
  });
  return {
    connectors,
    deliveries,
    pipeline,
    jobs: jobs.services,
    audience,
    refusedAttributes: new RefusedAttributes({ database, rules: applyRules }),
    bundled,
    mailer,
    async followOrganizations() {
      await connectors.directory.refresh();
      jobs.wake();
    },
    startWork: () => pipeline.start(),
    async startJobs() {
      leases.join("jobs");
      const upkeep = startUpkeep({ database, log, leases, logger, dailyRetention });
      closing.add(() => upkeep.stop());
      const retention = startRetention({ database, leases, logger, historyDays: historyRetentionDays });
      closing.add(() => retention.stop());
      jobs.start();
      const erasureLoop = startErasureLoop({
        database,
        log,
        leases,
        questions,
        logger,
        hash: applyRules.hash,
        removeUploads: jobs.removeUploadsBefore,
      });
      closing.add(() => erasureLoop.stop());
      const deletion = startOrganizationDeletion({
        database,
        log,
        leases,
        questions,
        logger,
        removeFiles: jobs.removeFilesOf,
        requestTimeoutMs: config.requestTimeoutMs,
      });
      closing.add(() => deletion.stop());
      const augmenter = await startAugmenter({ database, fetch: guardedFetch, logger });
      closing.add(() => augmenter.stop());
    },
    startAdmission: () => admission.start(),
    startCalls() {
      leases.join("deliver");
      const stopWaiting = deliveries.callPermit.whenGiven(() => {
        deliveries.deliveryLoops.start();
        connectors.scheduler.start();
      });
      closing.add(stopWaiting);
    },
  };
}

interface MeasuredOptions extends OpenServicesOptions {
  lags: LagRecorder;
}

interface OutboundCalls {
  fetch: TrustedFetch;
  /** Undefined when the server does not run the connectors that come with it. */
  bundled: BundledConnectors | undefined;
  guardedFetch: GuardedFetch;
  mailer: Mailer | undefined;
}

async function openConnectorsAndDeliveries(
  config: Config,
  { engines, connectorStore, brand, addresses, logger, metrics, threads, lags, closing }: MeasuredOptions,
  { fetch, bundled, guardedFetch, mailer }: OutboundCalls,
): Promise<{ connectors: ConnectorServices; deliveries: DeliveryServices }> {
  const { database, questions, leases, wakeUps, vault, thread } = engines;
  const calls = { database, leases, wakeUps, addresses, logger, metrics, fetch, timeoutMs: config.deliveryTimeoutMs };
  const { services: connectors, close: closeConnectors } = await openConnectors({
    ...calls,
    bundled,
    destinations: {
      folder: destinationsFolder(config),
      allowed: config.destinations,
      refusal: installationRefusal(config),
    },
    guardedFetch,
    threads,
    store: connectorStore,
    vault,
    mailer,
    mailTo: config.adminEmails,
    onConnectorChange: (connector) => deliveries.notices.connectorChanged(connector),
    refreshOther: thread && (() => thread.refreshConnectors()),
  });
  closing.add(closeConnectors);
  const { services: deliveries, close: closeDeliveries } = openDeliveries({
    ...calls,
    directory: connectors.directory,
    lags,
    questions,
    maxAttributes: config.maxAttributes,
    vault,
    brand,
    limits: {
      attempts: config.deliveryAttempts,
      firstRetryMs: config.deliveryRetryMs,
      maxAgeMs: config.deliveryMaxAgeHours * HOUR_MS,
    },
    combineUpdatesMs: config.combineUpdatesMs,
  });
  closing.add(closeDeliveries);
  closing.add(() => connectors.scheduler.stop());
  return { connectors, deliveries };
}

function openPipeline(
  config: Config,
  { engines, brand, logger, metrics, threads, lags, closing }: MeasuredOptions,
  { directory }: ConnectorServices,
  { deliveryLoops }: DeliveryServices,
) {
  const applyRules = readApplyRules(config, engines.secretKey);
  const toConnectors = { directory, onQueued: (connectorIds: Iterable<string>) => deliveryLoops.wake(connectorIds) };
  const admission = openAdmission({
    brand,
    maxEntries: config.gatewayLimitEntries,
    count: config.admissionThreads,
    threads,
  });
  closing.add(() => admission.close());
  const pipeline = new Pipeline({
    database: engines.database,
    log: engines.log,
    questions: engines.questions,
    wakeUps: engines.wakeUps,
    metrics,
    logger,
    accept: {
      admission,
      maxBacklogEntries: config.maxBacklogEntries,
      disk: config.databaseUrl ? undefined : engines.disk,
    },
    waitLimitMs: config.waitLimitMs,
    openWork: (events) =>
      engines.thread?.work(events, toConnectors.onQueued) ??
      new Stages({
        ...engines,
        questions: config.clickhouseUrl ? eraseLateWrites(engines.database, engines.questions) : engines.questions,
        metrics,
        lags,
        logger,
        apply: { rules: applyRules, bulkEvery: config.bulkEvery },
        notify: toConnectors,
        events,
      }),
  });
  closing.add(() => pipeline.stop());
  return { pipeline, toConnectors, applyRules, admission };
}
