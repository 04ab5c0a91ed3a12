import type { Job } from "@muster/protocol/api/jobs";
import { lines } from "../output/table.js";
import { describeProgress } from "./job.js";

/** Everything that people want to know of one job. */
export function describeJob(job: Job): string {
  const { id, type, object, name, status, progress, result, error, download_url, rejected_url, refused_rows_url } = job;
  const facts = Object.entries(result ?? {}).map(([key, value]) => [key, String(value)] as const);
  return lines({
    job: id,
    name,
    what: `${type} of ${object}`,
    status,
    ...(status === "running" ? { progress: describeProgress(job) } : {}),
    ...(facts.length > 0 ? Object.fromEntries(facts) : { records: progress.processed.toLocaleString("en") }),
    ...(error === null ? {} : { error }),
    ...(download_url ? { download: download_url } : {}),
    ...(progress.rejected > 0 ? { rejected: progress.rejected.toLocaleString("en") } : {}),
    ...(rejected_url ? { reasons: rejected_url } : {}),
    ...(refused_rows_url ? { "refused rows": refused_rows_url } : {}),
  });
}
