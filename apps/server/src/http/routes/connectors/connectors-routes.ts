import type { Brand } from "@muster/protocol";
import type { ConnectorWorks } from "../../../connectors/connector-works.js";
import type { Addresses } from "../../../domain/organizations/addresses.js";
import type { Jobs } from "../../../jobs/jobs.js";
import type { ConnectorStore } from "../../../storage/postgres/connectors/connectors.js";
import type { Database } from "../../../storage/postgres/database.js";
import type { App } from "../../app-type.js";
import type { ObjectHandlers } from "../object-handler.js";
import { catalogueRoutes } from "./catalogue.js";
import { connectorLogRoutes } from "./connector-logs.js";
import { connectorObjects } from "./connector-objects.js";
import { connectorPageRoutes } from "./connector-pages.js";
import { connectorRoutes } from "./connectors.js";
import { scheduleRoutes } from "./schedules.js";
import { statusRoutes } from "./status.js";

export interface ConnectorsRoutesOptions {
  brand: Brand;
  addresses: Addresses;
  jobs: Jobs;
  works: ConnectorWorks;
  connectorTimeoutMs: number;
  database: Database;
  connectors: ConnectorStore;
}

/** Connectors: installing, settings, status, logs, pages, schedules, and the catalogue. */
export function connectorsRoutes(api: App, options: ConnectorsRoutesOptions): void {
  const { brand, addresses, jobs, works, connectorTimeoutMs, database, connectors } = options;
  connectorRoutes(api, { connectors, database, addresses, works });
  catalogueRoutes(api, database);
  connectorLogRoutes(api, { database, connectors, logs: works.logs, summaries: works.summaries, brand });
  connectorPageRoutes(api, { connectors, database, addresses, fetch: works.fetch, timeoutMs: connectorTimeoutMs });
  scheduleRoutes(api, { database, connectors, brand });
  statusRoutes(api, { connectors, jobs });
}

export function connectorsObjects({
  database,
  connectors,
  works,
}: Pick<ConnectorsRoutesOptions, "database" | "connectors" | "works">): ObjectHandlers {
  return { connector: connectorObjects(database, connectors, works) };
}
