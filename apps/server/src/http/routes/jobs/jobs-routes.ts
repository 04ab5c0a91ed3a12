import type { Brand } from "@muster/protocol";
import type { Subjects } from "../../../audience/subjects/subjects.js";
import type { Connectors } from "../../../connectors/connectors.js";
import type { JobServices } from "../../../jobs/open-jobs.js";
import type { App } from "../../app-type.js";
import type { ObjectHandlers } from "../../object-handler.js";
import { downloadRoutes } from "./downloads.js";
import { exportRoutes } from "./exports.js";
import { extractRoutes } from "./extract.js";
import { importRoutes } from "./import.js";
import { importHelpRoutes } from "./import-help.js";
import { jobObjects, jobRoutes } from "./jobs.js";
import { revertRoutes } from "./reverts.js";
import { rewriteRoutes } from "./rewrites.js";
import { singleSendRoutes } from "./single-sends.js";
import { uploadRoutes } from "./uploads.js";

export interface JobsRoutesOptions extends JobServices {
  brand: Brand;
  connectors: Connectors;
  subjects: Subjects;
}

/** Imports, extracts, exports, rewrites and undos. */
export function jobsRoutes(api: App, options: JobsRoutesOptions): void {
  const { brand, connectors, subjects, jobs, imports, extracts, exports, singleSends } = options;
  jobRoutes(api, { jobs, brand });
  importRoutes(api, imports);
  importHelpRoutes(api, { inspector: options.inspector, jobs });
  extractRoutes(api, extracts);
  exportRoutes(api, { connectors, exports });
  rewriteRoutes(api, options);
  revertRoutes(api, options);
  singleSendRoutes(api, { subjects, connectors, singleSends });
}

/** The files of jobs. Their bodies are not JSON, so each group of routes has its own parsers. */
export async function jobFileRoutes(app: App, prefix: string, { uploads, downloads }: JobServices): Promise<void> {
  await app.register(async (api: App) => uploadRoutes(api, uploads), { prefix });
  await app.register(async (api: App) => downloadRoutes(api, downloads), { prefix });
}

export function jobsObjects({ jobs }: JobServices): ObjectHandlers {
  return { job: jobObjects(jobs) };
}
