import type { Brand } from "@muster/protocol";
import type { Rebuilds } from "../../../pipeline/project/rebuilds.js";
import type { Metrics } from "../../../runtime/metrics.js";
import type { HealthChecks } from "../../../upkeep/health-checks.js";
import type { App } from "../../app-type.js";
import { type HealthRoutesOptions, healthRoutes } from "./health.js";
import { healthCheckRoutes, type RetentionDays } from "./health-checks.js";
import { metricsRoutes } from "./metrics.js";
import { rebuildRoutes } from "./rebuild.js";
import { referenceRoutes } from "./reference.js";

export interface OperationsRoutesOptions extends HealthRoutesOptions {
  metrics: Metrics;
  metricsToken: string | undefined;
  rebuilds: Rebuilds;
  checks: HealthChecks;
  retention: RetentionDays;
}

/** Routes outside the API: the reference, health and metrics. */
export async function operationsRoutes(app: App, options: OperationsRoutesOptions): Promise<void> {
  const { metrics, metricsToken, checkEngines } = options;
  await referenceRoutes(app);
  healthRoutes(app, { checkEngines });
  metricsRoutes(app, { registry: metrics.registry, token: metricsToken });
}

/** How the server is, and work that an operator can start. */
export function operatorRoutes(
  api: App,
  { rebuilds, checks, retention, brand }: OperationsRoutesOptions & { brand: Brand },
): void {
  rebuildRoutes(api, { rebuilds, brand });
  healthCheckRoutes(api, { checks, retention, brand });
}
