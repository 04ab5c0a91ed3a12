import type { Brand } from "@muster/protocol";
import type { Connectors } from "../../../connectors/connectors.js";
import type { Jobs } from "../../../jobs/jobs.js";
import type { Database } from "../../../storage/postgres/database.js";
import type { App } from "../../app-type.js";
import type { ObjectHandlers } from "../object-handler.js";
import { downloadRoutes } from "./downloads.js";
import { exportRoutes } from "./exports.js";
import { extractRoutes } from "./extract.js";
import { importRoutes } from "./import.js";
import { jobObjects, jobRoutes } from "./jobs.js";
import { uploadRoutes } from "./uploads.js";

export interface JobsRoutesOptions {
  brand: Brand;
  jobs: Jobs;
  database: Database;
  connectors: Connectors;
}

/** Imports, extracts and exports. */
export function jobsRoutes(api: App, { brand, jobs, database, connectors }: JobsRoutesOptions): void {
  jobRoutes(api, { database, jobs, brand });
  importRoutes(api, jobs);
  extractRoutes(api, { database, jobs });
  exportRoutes(api, { database, connectors, jobs });
}

/** Files of jobs. Their bodies are not JSON, so they are registered apart from the rest. */
export async function jobFileRoutes(app: App, prefix: string, { jobs, database }: JobsRoutesOptions): Promise<void> {
  await app.register(async (api: App) => uploadRoutes(api, jobs.imports), { prefix });
  await app.register(async (api: App) => downloadRoutes(api, { database, jobs }), { prefix });
}

export function jobsObjects({ database, jobs }: Pick<JobsRoutesOptions, "database" | "jobs">): ObjectHandlers {
  return { job: jobObjects({ database, jobs }) };
}
