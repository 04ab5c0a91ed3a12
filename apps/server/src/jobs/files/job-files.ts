import type { Job } from "../../domain/jobs/job.js";
import type { ExtractParameters } from "../extract/extract-parameters.js";
import type { ImportParameters } from "../import/import-parameters.js";

/** The name of the file that lists the refused lines of an import. */
export const REJECTED_FILE = "rejected.ndjson";

/** The name under which the file of a job is downloaded: that of an extract, or the refused rows of an import. */
export function jobFileName(job: Job): string {
  if (job.type === "import") {
    // Every import is scheduled with these parameters.
    const { csv } = job.parameters as ImportParameters;
    return `refused-${job.object}.${csv ? "csv" : "json"}`;
  }
  // Every extract is scheduled with these parameters.
  const { format } = job.parameters as ExtractParameters;
  return `${job.object}.${format}`;
}

/** The key under which the file of a job is stored. */
export function jobFileKey(job: Job): string {
  return `${job.type}s/${job.organizationId}/${job.id}/${jobFileName(job)}`;
}
