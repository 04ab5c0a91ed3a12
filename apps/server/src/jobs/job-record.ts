import { DAY_MS } from "@muster/protocol";
import type { Job as JobRecord } from "@muster/protocol/api/jobs";
import type { Job } from "../domain/jobs/job.js";
import type { DownloadLinks } from "./files/download-links.js";
import { jobFileName, REJECTED_FILE } from "./files/job-files.js";
import type { ImportParameters } from "./parameters/import-parameters.js";
import type { RevertParameters } from "./revert/revert-parameters.js";

/** Describes a job, with addresses from which its files can be downloaded. */
export function jobRecord(job: Job, links: DownloadLinks, now: number): JobRecord {
  const { progress, file, callback } = job;
  const download = { organizationId: job.organizationId, jobId: job.id };
  const tomorrow = new Date(now + DAY_MS);
  return {
    id: job.id,
    type: job.type,
    object: job.object,
    status: job.status,
    name: job.name,
    description: job.description,
    ...(isDryRun(job) ? { dry_run: true as const } : {}),
    progress: {
      processed: progress.processed,
      total: progress.total,
      rejected: progress.rejected,
      processed_bytes: progress.processedBytes,
      total_bytes: progress.totalBytes,
    },
    result: job.result,
    error: job.error,
    ...(file && file.expiresAt.getTime() > now
      ? {
          [job.type === "import" ? "refused_rows_url" : "download_url"]: links.create(
            { ...download, file: jobFileName(job) },
            file.expiresAt,
          ),
          expires_at: file.expiresAt.toISOString(),
        }
      : {}),
    ...(progress.rejected > 0 ? { rejected_url: links.create({ ...download, file: REJECTED_FILE }, tomorrow) } : {}),
    ...(callback.attempts > 0
      ? {
          callback: {
            attempts: callback.attempts,
            error: callback.error,
            next_at: callback.dueAt?.toISOString() ?? null,
            called_at: callback.calledAt?.toISOString() ?? null,
          },
        }
      : {}),
    scheduled_at: job.dueAt.toISOString(),
    created_at: job.createdAt.toISOString(),
    started_at: job.startedAt?.toISOString() ?? null,
    finished_at: job.finishedAt?.toISOString() ?? null,
  };
}

function isDryRun({ type, parameters }: Job): boolean {
  // Every import and every undo is scheduled with these parameters.
  return (type === "import" || type === "revert") && (parameters as ImportParameters | RevertParameters).dryRun;
}
