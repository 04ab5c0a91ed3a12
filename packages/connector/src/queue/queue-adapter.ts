import type { Credentials } from "../trust/credentials.js";

export interface EnqueueOptions {
  /** Milliseconds a job may take; a job that takes longer has failed. Default: no limit. */
  ttl?: number;
  /** Milliseconds to wait, or the time at which the job may start. Default: none. */
  delay?: number | Date;
  /** Default `queueApp`. */
  queueName?: string;
  /** Jobs with a smaller number run earlier. Jobs without a priority run before all others. */
  priority?: number;
}

export const DEFAULT_QUEUE = "queueApp";

/** How often a failed job is tried again before it is kept as failed. */
export const JOB_RETRIES = 3;

/** A job as it is stored. Its context is made from the credentials when it runs. */
export interface QueuedJob {
  name: string;
  payload: unknown;
  credentials: Credentials;
  ttlMs: number | undefined;
}

/** Runs a job; rejects when it failed. */
export type JobRunner = (job: QueuedJob) => Promise<void>;

/** A queue of jobs. Jobs that fail are tried again `JOB_RETRIES` times; jobs that succeed are removed. */
export interface QueueAdapter {
  /** Whether jobs survive the end of this process. Default false. */
  readonly isDurable?: boolean;
  add(queueName: string, job: QueuedJob, options: { delayMs: number; priority: number | undefined }): Promise<void>;
  process(queueName: string, run: JobRunner): Promise<void>;
  /** Waits until running jobs have finished, and closes connections. */
  close(): Promise<void>;
}
