import type { Job } from "../../domain/jobs/job.js";
import type { ExtractParameters } from "../extract/extract-parameters.js";

/** The name of the file that lists the refused lines of an import. */
export const REJECTED_FILE = "rejected.ndjson";

/** The name under which the file of an extract is downloaded. */
export function extractFileName(job: Job): string {
  // Every extract is scheduled with these parameters.
  const { format } = job.parameters as ExtractParameters;
  return `${job.object}.${format}`;
}

/** The key under which the file of an extract is stored. */
export function extractFileKey(job: Job): string {
  return `extracts/${job.organizationId}/${job.id}/${extractFileName(job)}`;
}
