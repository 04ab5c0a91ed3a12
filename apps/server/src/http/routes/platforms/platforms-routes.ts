import type { ConnectorStore } from "../../../storage/postgres/connectors/connectors.js";
import type { Database } from "../../../storage/postgres/database.js";
import type { App } from "../../app-type.js";
import type { ObjectHandlers } from "../object-handler.js";
import { deploymentObjects, platformObjects } from "./platform-objects.js";
import { platformRoutes } from "./platforms.js";

export interface PlatformsRoutesOptions {
  database: Database;
  connectors: ConnectorStore;
}

/** Platforms and what is deployed on them. */
export function platformsRoutes(api: App, options: PlatformsRoutesOptions): void {
  platformRoutes(api, options);
}

export function platformsObjects({ database, connectors }: PlatformsRoutesOptions): ObjectHandlers {
  return { platform: platformObjects(database), deployment: deploymentObjects(database, connectors) };
}
