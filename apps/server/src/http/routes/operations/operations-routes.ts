import type { Pipeline } from "../../../pipeline/pipeline.js";
import type { Metrics } from "../../../runtime/metrics.js";
import type { Database } from "../../../storage/postgres/database.js";
import type { Questions } from "../../../storage/questions/questions.js";
import type { App } from "../../app-type.js";
import { healthRoutes } from "./health.js";
import { metricsRoutes } from "./metrics.js";
import { rebuildRoutes } from "./rebuild.js";
import { referenceRoutes } from "./reference.js";

export interface OperationsRoutesOptions {
  metrics: Metrics;
  metricsToken: string | undefined;
  pipeline: Pipeline;
  database: Database;
  questions: Questions;
}

/** Documents and checks that are outside the API: the reference, health and metrics. */
export async function operationsRoutes(app: App, options: OperationsRoutesOptions): Promise<void> {
  const { metrics, metricsToken, database, questions } = options;
  await referenceRoutes(app);
  healthRoutes(app, { database, questions });
  metricsRoutes(app, { registry: metrics.registry, token: metricsToken });
}

/** What an operator can set going. */
export function operatorRoutes(api: App, { database, questions, pipeline }: OperationsRoutesOptions): void {
  rebuildRoutes(api, { database, questions, pipeline });
}
