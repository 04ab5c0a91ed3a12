import { CarriedIds, type CarriedIdsOptions } from "./carried-ids.js";
import { Deployments, type DeploymentsOptions } from "./deployments.js";
import { Platforms } from "./platforms.js";

/** The services for platforms, and for the connectors that are deployed on them. */
export interface PlatformServices {
  platforms: Platforms;
  deployments: Deployments;
  carriedIds: CarriedIds;
}

export function openPlatforms(options: DeploymentsOptions & CarriedIdsOptions): PlatformServices {
  return {
    platforms: new Platforms(options),
    deployments: new Deployments(options),
    carriedIds: new CarriedIds(options),
  };
}
