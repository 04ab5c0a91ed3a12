import { Deployments, type DeploymentsOptions } from "./deployments.js";
import { Platforms } from "./platforms.js";

/** The services for platforms, and for the connectors that are deployed on them. */
export interface PlatformServices {
  platforms: Platforms;
  deployments: Deployments;
}

export function openPlatforms(options: DeploymentsOptions): PlatformServices {
  return { platforms: new Platforms(options), deployments: new Deployments(options) };
}
