import type { Brand } from "@muster/protocol";
import type { Rebuilds } from "../../../pipeline/project/rebuilds.js";
import type { Metrics } from "../../../runtime/measures/metrics.js";
import type { Backups } from "../../../upkeep/backup/backups.js";
import type { HealthChecks } from "../../../upkeep/health-checks.js";
import type { LogRelocations } from "../../../upkeep/log-relocations.js";
import type { ServerStatuses } from "../../../upkeep/server-status.js";
import type { App } from "../../app-type.js";
import type { Reference } from "../../reference/reference.js";
import { backupRoutes } from "./backup.js";
import { type HealthRoutesOptions, healthRoutes } from "./health.js";
import { healthCheckRoutes, type RetentionDays } from "./health-checks.js";
import { ingestionLogRoutes } from "./ingestion-log.js";
import { metricsRoutes } from "./metrics.js";
import { type ProofRoutesOptions, proofRoutes } from "./proof.js";
import { rebuildRoutes } from "./rebuild.js";
import { referenceRoutes } from "./reference.js";
import { statusPageRoutes } from "./status-page.js";

export interface OperationsRoutesOptions extends HealthRoutesOptions, ProofRoutesOptions {
  metrics: Metrics;
  metricsToken: string | undefined;
  statuses: ServerStatuses;
  rebuilds: Rebuilds;
  backups: Backups;
  logRelocations: LogRelocations;
  checks: HealthChecks;
  retention: RetentionDays;
}

/** Routes outside the API: the reference, health, the proof of the server, the status page and metrics. */
export async function operationsRoutes(
  app: App,
  reference: Reference,
  options: OperationsRoutesOptions,
): Promise<void> {
  const { metrics, metricsToken, checkEngines, statuses, serverKey } = options;
  await referenceRoutes(app, reference);
  healthRoutes(app, { checkEngines });
  proofRoutes(app, { serverKey });
  statusPageRoutes(app, { statuses });
  metricsRoutes(app, { metrics, token: metricsToken });
}

/** How the server is, and work that an operator can start. */
export function operatorRoutes(
  api: App,
  { rebuilds, backups, logRelocations, checks, retention, brand }: OperationsRoutesOptions & { brand: Brand },
): void {
  rebuildRoutes(api, { rebuilds, brand });
  backupRoutes(api, backups);
  ingestionLogRoutes(api, logRelocations);
  healthCheckRoutes(api, { checks, retention, brand });
}
