import type { Logger } from "pino";
import type { Addresses } from "../domain/organizations/addresses.js";
import type { GuardedFetch } from "../outbound/guarded-fetch.js";
import type { Mailer } from "../outbound/mailer.js";
import type { TrustedFetch } from "../outbound/trusted-fetch.js";
import type { Metrics } from "../runtime/measures/metrics.js";
import type { Vault } from "../runtime/secrets/vault.js";
import type { Threads } from "../runtime/threads/threads.js";
import type { ConnectorStore } from "../storage/postgres/connectors/connectors.js";
import type { Database } from "../storage/postgres/database.js";
import type { WorkLeases } from "../storage/postgres/leases/work-leases.js";
import { listOwnerEmails } from "../storage/postgres/members/members.js";
import type { WakeUps } from "../storage/postgres/wake-ups.js";
import { BundledPages } from "./bundled-pages.js";
import { Catalogue } from "./catalogue.js";
import { ConnectorDirectory, type ConnectorDirectoryOptions } from "./connector-directory.js";
import { ConnectorEndpoints } from "./connector-endpoints.js";
import { ConnectorFrames } from "./connector-frames.js";
import { ConnectorImages } from "./connector-images.js";
import { ConnectorLogs } from "./connector-logs.js";
import { ConnectorStatuses } from "./connector-statuses.js";
import { Connectors, type ConnectorsOptions } from "./connectors.js";
import { DestinationCatalogue, type DestinationCatalogueOptions } from "./destination-catalogue.js";
import { DestinationInstaller, type DestinationInstallerOptions } from "./destination-installer.js";
import { LogSummaries } from "./log-summaries.js";
import { MappingFields } from "./mapping-fields.js";
import { Scheduler } from "./scheduler.js";
import { SegmentUses } from "./segment-uses.js";
import { ServiceCalls } from "./service-calls.js";
import { WriteKeys } from "./write-keys.js";

export interface OpenConnectorsOptions {
  database: Database;
  leases: WorkLeases;
  wakeUps: WakeUps;
  store: ConnectorStore;
  addresses: Addresses;
  fetch: TrustedFetch;
  /** The process of the connectors that come with Muster; undefined when this server does not run them. */
  bundled: object | undefined;
  destinations: DestinationCatalogueOptions & Pick<DestinationInstallerOptions, "refusal">;
  guardedFetch: GuardedFetch;
  vault: Vault;
  /** Longest time that a call of an endpoint may take. */
  timeoutMs: number;
  metrics: Metrics;
  threads: Threads;
  logger: Logger;
  mailer: Mailer | undefined;
  /** Who gets mail about errors of connectors. */
  mailTo: readonly string[];
  onConnectorChange: ConnectorsOptions["onChange"];
  refreshOther: ConnectorDirectoryOptions["refreshOther"];
}

/** The services for connectors: what they are, what they report, and the endpoints they offer. */
export interface ConnectorServices {
  directory: ConnectorDirectory;
  connectors: Connectors;
  catalogue: Catalogue;
  destinationInstaller: DestinationInstaller;
  connectorStatuses: ConnectorStatuses;
  connectorLogs: ConnectorLogs;
  serviceCalls: ServiceCalls;
  connectorEndpoints: ConnectorEndpoints;
  connectorImages: ConnectorImages;
  segmentUses: SegmentUses;
  connectorFrames: ConnectorFrames;
  bundledPages: BundledPages;
  writeKeys: WriteKeys;
  /** Makes no calls before it is started. The caller of `openConnectors` stops it, before the deliveries. */
  scheduler: Scheduler;
}

export async function openConnectors({
  mailTo,
  onConnectorChange,
  ...options
}: OpenConnectorsOptions): Promise<{ services: ConnectorServices; close(): Promise<void> }> {
  const directory = new ConnectorDirectory(options);
  const connectorImages = new ConnectorImages(options);
  const catalogue = new Catalogue({
    ...options,
    images: connectorImages,
    hasBundled: options.bundled !== undefined,
    destinations: new DestinationCatalogue(options.destinations),
  });
  const destinationInstaller = new DestinationInstaller({ ...options, ...options.destinations });
  const connectorStatuses = new ConnectorStatuses(options);
  const connectorEndpoints = new ConnectorEndpoints(options);
  const mappingFields = new MappingFields({ ...options, directory, endpoints: connectorEndpoints });
  const summaries = new LogSummaries({
    ...options,
    async recipients(organizationId) {
      return [...new Set([...mailTo, ...(await listOwnerEmails(options.database, organizationId))])];
    },
  });
  const connectorLogs = new ConnectorLogs({ ...options, summaries });
  const scheduler = new Scheduler({
    ...options,
    directory,
    statuses: connectorStatuses,
    endpoints: connectorEndpoints,
  });
  await directory.start();
  return {
    services: {
      directory,
      connectors: new Connectors({
        ...options,
        directory,
        catalogue,
        mappingFields,
        onChange: onConnectorChange,
        askStatusSoon: (connector) => scheduler.askStatusSoon(connector),
      }),
      catalogue,
      destinationInstaller,
      connectorStatuses,
      connectorLogs,
      serviceCalls: new ServiceCalls(options),
      connectorEndpoints,
      connectorImages,
      segmentUses: new SegmentUses({ ...options, directory }),
      connectorFrames: new ConnectorFrames(options),
      bundledPages: new BundledPages({ ...options, directory }),
      writeKeys: new WriteKeys(options),
      scheduler,
    },
    async close() {
      await destinationInstaller.close();
      await directory.stop();
      await connectorLogs.close();
    },
  };
}
