import type { Brand } from "@muster/protocol";
import type { ConnectorServices } from "../../../connectors/open-connectors.js";
import type { Addresses } from "../../../domain/organizations/addresses.js";
import type { Jobs } from "../../../jobs/jobs.js";
import type { Problems } from "../../../pipeline/problems.js";
import type { App } from "../../app-type.js";
import type { ObjectHandlers } from "../../object-handler.js";
import { catalogueRoutes } from "./catalogue.js";
import { connectorFrameRoutes } from "./connector-frames.js";
import { connectorLogRoutes } from "./connector-logs.js";
import { connectorMetricRoutes } from "./connector-metrics.js";
import { connectorObjects } from "./connector-objects.js";
import { connectorPageRoutes } from "./connector-pages.js";
import { connectorRoutes } from "./connectors.js";
import { scheduleRoutes } from "./schedules.js";
import { segmentUsesRoutes } from "./segment-uses.js";
import { statusRoutes } from "./status.js";
import { writeKeyRoutes } from "./write-keys.js";

export interface ConnectorsRoutesOptions extends Omit<ConnectorServices, "directory" | "bundledPages"> {
  brand: Brand;
  addresses: Addresses;
  jobs: Jobs;
  problems: Problems;
}

/** Connectors: installing, settings, status, logs, pages, schedules, and the catalogue. */
export function connectorsRoutes(api: App, options: ConnectorsRoutesOptions): void {
  const { connectors, writeKeys, catalogue, destinationInstaller, scheduler, brand, addresses, jobs, problems } =
    options;
  const { connectorStatuses: statuses, connectorLogs: logs, connectorEndpoints: endpoints } = options;
  connectorRoutes(api, { connectors, writeKeys, addresses, brand });
  writeKeyRoutes(api, { connectors, writeKeys, brand });
  catalogueRoutes(api, { catalogue, destinationInstaller, brand });
  connectorLogRoutes(api, { connectors, logs, brand });
  connectorMetricRoutes(api, { connectors, serviceCalls: options.serviceCalls });
  connectorPageRoutes(api, { connectors, endpoints, images: options.connectorImages, brand });
  connectorFrameRoutes(api, { connectors, frames: options.connectorFrames, addresses });
  scheduleRoutes(api, { connectors, scheduler, brand });
  segmentUsesRoutes(api, { segmentUses: options.segmentUses, brand });
  statusRoutes(api, { connectors, statuses, jobs, problems, brand });
}

export function connectorsObjects({ connectors }: Pick<ConnectorsRoutesOptions, "connectors">): ObjectHandlers {
  return { connector: connectorObjects(connectors) };
}
