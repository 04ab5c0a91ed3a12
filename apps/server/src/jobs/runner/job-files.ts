import type { Job } from "../../domain/jobs/job.js";
import type { ExtractParameters } from "../extract/extract-parameters.js";

/** The refused lines of an import, as a file to download. */
export const REJECTED_FILE = "rejected.ndjson";

/** What the file of an extract is called when it is downloaded. */
export function extractFileName(job: Job): string {
  // Only the route stores parameters, and it stores these.
  const { format } = job.parameters as ExtractParameters;
  return `${job.object}.${format}`;
}

/** Where the file of an extract is kept. */
export function extractFileKey(job: Job): string {
  return `extracts/${job.organizationId}/${job.id}/${extractFileName(job)}`;
}
