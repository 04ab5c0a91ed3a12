import type { Credentials } from "../context/credentials.js";

export interface EnqueueOptions {
  /** Milliseconds a job may take; a job that takes longer has failed. Default: as long as it likes. */
  ttl?: number;
  /** Milliseconds to wait, or the time to wait for. Default: none. */
  delay?: number | Date;
  /** Default `queueApp`. */
  queueName?: string;
  /** The smaller the number, the earlier the job: 1 comes first, and before that jobs without one. */
  priority?: number;
}

export const DEFAULT_QUEUE = "queueApp";

/** A job that fails is tried again this often, then kept as failed. */
export const JOB_RETRIES = 3;

/** A job as it is stored: whoever runs it makes the context anew from the credentials. */
export interface QueuedJob {
  name: string;
  payload: unknown;
  credentials: Credentials;
  ttlMs: number | undefined;
}

/** Runs a job; a rejection means that it failed. */
export type JobRunner = (job: QueuedJob) => Promise<void>;

/** Where jobs wait. Jobs that fail are tried again `JOB_RETRIES` times; jobs that succeed are removed. */
export interface QueueAdapter {
  add(queueName: string, job: QueuedJob, options: { delayMs: number; priority: number | undefined }): Promise<void>;
  process(queueName: string, run: JobRunner): Promise<void>;
  /** Lets running jobs finish and lets go of whatever is held. */
  close(): Promise<void>;
}
