import { setTimeout as sleep } from "node:timers/promises";
import type { Job } from "@muster/protocol/api/jobs";
import type { Api } from "../api.js";
import { Failure } from "../failure.js";
import type { Output } from "../output/output.js";

const LOOK_EVERY_MS = 500;
const BAR_WIDTH = 30;

/** Shows the progress of a job until it has ended. Throws when it did not complete. */
export async function followJob(api: Api, started: Job, output: Output): Promise<Job> {
  let job = started;
  while (job.status === "scheduled" || job.status === "running") {
    output.progress(describeProgress(job));
    await sleep(LOOK_EVERY_MS);
    job = await api.get<Job>(`/${job.id}`);
  }
  output.progress("");
  if (job.status === "completed") return job;
  const what = `The ${job.type} of ${job.object} (job ${job.id})`;
  throw new Failure("refused", job.error === null ? `${what} was ${job.status}.` : `${what} failed: ${job.error}`);
}

/** @example "importing users  ██████░░░░  60 %  600,000  3 rejected" */
export function describeProgress({ type, object, status, progress }: Job): string {
  if (status === "scheduled") return `${type} of ${object} is waiting`;
  const { processed, total, rejected, processed_bytes, total_bytes } = progress;
  // The size of an import's file is known before the number of its records.
  const share = total === null ? ratio(processed_bytes, total_bytes) : ratio(processed, total);
  return [
    `${type}ing ${object}`,
    ...(share === undefined ? [] : [bar(share), `${Math.floor(share * 100)} %`]),
    processed.toLocaleString("en"),
    ...(rejected > 0 ? [`${rejected.toLocaleString("en")} rejected`] : []),
  ].join("  ");
}

function ratio(part: number, whole: number | null): number | undefined {
  return whole === null || whole === 0 ? undefined : Math.min(1, part / whole);
}

function bar(share: number): string {
  const filled = Math.round(share * BAR_WIDTH);
  return "█".repeat(filled) + "░".repeat(BAR_WIDTH - filled);
}
