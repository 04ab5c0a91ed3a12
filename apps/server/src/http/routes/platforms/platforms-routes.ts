import type { PlatformServices } from "../../../platforms/open-platforms.js";
import type { App } from "../../app-type.js";
import type { ObjectHandlers } from "../../object-handler.js";
import { deploymentObjects, platformObjects } from "./platform-objects.js";
import { type PlatformRoutesOptions, platformRoutes } from "./platforms.js";

/** Platforms, and the connectors that are deployed on them. */
export function platformsRoutes(api: App, options: PlatformRoutesOptions): void {
  platformRoutes(api, options);
}

export function platformsObjects({ platforms, deployments }: PlatformServices): ObjectHandlers {
  return { platform: platformObjects(platforms), deployment: deploymentObjects(deployments) };
}
