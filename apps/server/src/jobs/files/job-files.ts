import type { Job } from "../../domain/jobs/job.js";
import type { ExtractFormat, ExtractParameters } from "../parameters/extract-parameters.js";
import type { ImportParameters } from "../parameters/import-parameters.js";

/** The name of the file that lists the refused lines of an import. */
export const REJECTED_FILE = "rejected.ndjson";

/** The name under which the file of a job is downloaded: that of an extract, or the refused rows of an import. */
export function jobFileName(job: Job): string {
  return `${job.type === "import" ? "refused-" : ""}${job.object}.${jobFileFormat(job)}`;
}

export function jobFileFormat(job: Job): ExtractFormat {
  if (job.type !== "import") {
    // Every extract is scheduled with these parameters.
    return (job.parameters as ExtractParameters).format;
  }
  // Every import is scheduled with these parameters.
  return (job.parameters as ImportParameters).csv ? "csv" : "json";
}

/** The key under which the file of a job is stored. */
export function jobFileKey(job: Job): string {
  return `${job.type}s/${job.organizationId}/${job.id}/${jobFileName(job)}`;
}
