import { DAY_MS } from "@muster/protocol";
import { Type } from "typebox";
import { JOB_STATUSES, type Job } from "../../../domain/jobs/job.js";
import type { DownloadLinks } from "../../../jobs/extract/download-links.js";
import { extractFileName, REJECTED_FILE } from "../../../jobs/runner/job-files.js";

const OptionalText = Type.Union([Type.String(), Type.Null()]);
const OptionalInteger = Type.Union([Type.Integer(), Type.Null()]);

export const JobRecord = Type.Object({
  id: Type.String(),
  type: Type.Enum(["import", "extract", "export"], { description: "What the job does." }),
  object: Type.Enum(["users", "accounts", "events"]),
  status: Type.Enum([...JOB_STATUSES]),
  name: Type.String(),
  description: Type.String(),
  progress: Type.Object({
    processed: Type.Integer({ description: "Records so far." }),
    total: OptionalInteger,
    rejected: Type.Integer({ description: "Lines of an import that were refused, as a whole or in part." }),
    processed_bytes: Type.Integer(),
    total_bytes: OptionalInteger,
  }),
  result: Type.Union([Type.Object({}, { additionalProperties: true }), Type.Null()]),
  error: OptionalText,
  download_url: Type.Optional(Type.String({ description: "The file of an extract; answers GET and POST." })),
  expires_at: Type.Optional(Type.String({ description: "When that file is removed." })),
  rejected_url: Type.Optional(Type.String({ description: "The refused lines of an import, with their reasons." })),
  callback: Type.Optional(
    Type.Object({ attempts: Type.Integer(), error: OptionalText, next_at: OptionalText, called_at: OptionalText }),
  ),
  scheduled_at: Type.String(),
  created_at: Type.String(),
  started_at: OptionalText,
  finished_at: OptionalText,
});

/** A job as the API shows it, with addresses of its files that work from now on. */
export function jobRecord(job: Job, links: DownloadLinks, now: number) {
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
    progress: {
      processed: progress.processed,
      total: progress.total,
      rejected: progress.rejected,
      processed_bytes: progress.processedBytes,
      total_bytes: progress.totalBytes,
    },
    result: job.result,
    error: job.error,
    ...(file
      ? {
          download_url: links.create({ ...download, file: extractFileName(job) }, file.expiresAt),
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
