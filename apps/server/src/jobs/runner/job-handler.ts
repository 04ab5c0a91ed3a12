import type { Job, JobProgress } from "../../domain/jobs/job.js";
import type { Completion } from "../../storage/postgres/jobs/job-leases.js";

/** One run of a job by the process that holds its lease. */
export interface JobRun {
  readonly job: Job;
  /** Aborted when the job was canceled, the lease was lost or the server stops. */
  readonly signal: AbortSignal;
  /** Stores how far the job has come, to go on from there after a crash. Throws when the job is not ours any more. */
  save(progress: JobProgress, checkpoint: unknown): Promise<void>;
}

/** What one type of job does. Whatever it throws is tried again later, except a `JobFailure`. */
export interface JobHandler {
  run(run: JobRun): Promise<Completion>;
  /** Clears away what a job that has ended for good leaves behind. */
  discard(job: Job): Promise<void>;
}
