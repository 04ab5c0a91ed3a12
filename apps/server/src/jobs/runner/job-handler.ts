import type { Job, JobProgress } from "../../domain/jobs/job.js";
import type { Queryable } from "../../storage/postgres/database.js";
import type { Completion } from "../../storage/postgres/jobs/job-leases.js";

/** One run of a job by the process that holds its lease. */
export interface JobRun {
  readonly job: Job;
  /** Aborted when the job was canceled, the lease was lost or the server stops. */
  readonly signal: AbortSignal;
  /**
   * Stores the progress, from which the job goes on after a crash: with what a transaction does, when one is given. Throws
   * when this process has lost the lease.
   */
  save(progress: JobProgress, checkpoint: unknown, tx?: Queryable): Promise<void>;
}

/** Does the work of one type of job. A run that throws is repeated later, unless it throws a `JobFailure`. */
export interface JobHandler {
  run(run: JobRun): Promise<Completion>;
  /** Removes the temporary files of a job that has ended for good. */
  discard(job: Job): Promise<void>;
  /** Removes the temporary files that this process alone uses, after another one has taken over the job. */
  leave(job: Job): Promise<void>;
}
