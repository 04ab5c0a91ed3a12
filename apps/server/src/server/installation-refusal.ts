import type { Config } from "../runtime/settings/config.js";
import { ROLES } from "../runtime/settings/roles.js";

/**
 * Why this process cannot install the package of destinations, in a sentence for the operator. The package is a folder on the machine
 * that delivers, so a process that shares the work with others cannot install it for them.
 */
export function installationRefusal({
  bundledConnectors,
  roles,
}: Pick<Config, "bundledConnectors" | "roles">): string | undefined {
  if (!bundledConnectors) return "This server does not run the connectors that come with it (BUNDLED_CONNECTORS).";
  if (ROLES.every((role) => roles.includes(role))) return undefined;
  return "Several processes share the work of this server. Install the package on each machine whose processes have the role `deliver` or `api`.";
}
