import { Refusal } from "@muster/protocol";
import { JOB_TYPES } from "@muster/protocol/api/jobs";
import type { Logger } from "pino";
import type { Job, JobType } from "../../domain/jobs/job.js";
import { Loop } from "../../runtime/loops/loop.js";
import type { Metrics } from "../../runtime/measures/metrics.js";
import type { Database } from "../../storage/postgres/database.js";
import {
  completeJob,
  failJob,
  isUnfinished,
  type Lease,
  nextDueMs,
  RENEW_EVERY_MS,
  releaseJob,
  releaseLeases,
  renewLease,
  saveCheckpoint,
  takeJob,
} from "../../storage/postgres/jobs/job-leases.js";
import { findOrganization } from "../../storage/postgres/objects/organizations.js";
import { Distance } from "./distance.js";
import { JobFailure } from "./job-failure.js";
import type { JobHandler } from "./job-handler.js";

export interface JobRunnerOptions {
  database: Database;
  logger: Logger;
  metrics: Metrics;
  handlers: Record<JobType, JobHandler>;
  /** How many jobs of one type run at the same time. */
  slots: number;
  /** The name of this process, which it keeps after a restart. No two running processes have the same name. */
  holder: string;
  /** Called when a job has ended for good. */
  onEnd(): void;
}

// This process finds jobs that another process has scheduled within this time.
const LOOK_EVERY_MS = 10_000;
const FIRST_RETRY_MS = 1_000;
const LAST_RETRY_MS = 60_000;
const MAX_ATTEMPTS = 8;
const UNAVAILABLE_RETRY_MS = 5_000;
const OUTCOMES = ["completed", "failed", "canceled"] as const;

/** This process may not work on the job any more: the job was canceled, or another process has taken it over. */
class LeaseLost extends Error {
  override readonly name = "LeaseLost";
}

class Stopping extends Error {
  override readonly name = "Stopping";
}

/** Runs jobs that are due, a few at the same time, and goes on with jobs of processes that have died. */
export class JobRunner {
  readonly #options: JobRunnerOptions;
  readonly #running = new Map<string, { type: JobType; stop: AbortController; done: Promise<void> }>();
  /** The organizations whose jobs were taken, the last one at the end. */
  readonly #served = Object.fromEntries(JOB_TYPES.map((type) => [type, new Set()])) as Record<JobType, Set<string>>;
  readonly #looking: Loop;
  #hasReleased = false;

  constructor(options: JobRunnerOptions) {
    this.#options = options;
    // An alert sees the first failure only if the counter was there before it.
    for (const type of JOB_TYPES) {
      for (const outcome of OUTCOMES) options.metrics.jobs.inc({ type, outcome }, 0);
    }
    this.#looking = new Loop({
      step: () => this.#takeJobs(),
      onError: (error) => options.logger.error({ err: error }, "looking for jobs failed"),
    });
  }

  start(): void {
    this.#looking.start();
  }

  /** Looks for jobs now. */
  wake(): void {
    this.#looking.wake();
  }

  /** Stops a job that runs in this process after its lease was taken away. */
  interrupt(jobId: string): void {
    this.#running.get(jobId)?.stop.abort(new LeaseLost());
  }

  /** Stops all jobs. They go on from their checkpoints when a process takes them up again. */
  async stop(): Promise<void> {
    await this.#looking.stop();
    for (const { stop } of this.#running.values()) stop.abort(new Stopping());
    await Promise.all([...this.#running.values()].map(({ done }) => done));
  }

  /** Takes jobs for the free slots. Returns how long to wait before looking again. */
  async #takeJobs(): Promise<number> {
    const { database, handlers, slots, holder } = this.#options;
    if (!this.#hasReleased) {
      // The earlier process with this name has ended, so its jobs need not wait until their leases expire.
      await releaseLeases(database, holder);
      this.#hasReleased = true;
    }
    for (const type of Object.keys(handlers) as JobType[]) {
      while ([...this.#running.values()].filter((running) => running.type === type).length < slots) {
        const served = [...this.#served[type]];
        const job = await takeJob(database, { type, holder, running: [...this.#running.keys()], slots, served });
        if (!job) break;
        this.#served[type].delete(job.organizationId);
        this.#served[type].add(job.organizationId);
        this.#begin(job);
      }
    }
    const dueMs = await nextDueMs(database);
    // A job that is due and was not taken waits for a slot, and the job that frees one wakes this loop.
    return dueMs === undefined || dueMs <= 0 ? LOOK_EVERY_MS : Math.min(dueMs, LOOK_EVERY_MS);
  }

  #begin(job: Job): void {
    const stop = new AbortController();
    const done = this.#run(job, stop)
      .catch((error: unknown) =>
        this.#options.logger.error({ err: error, ...labels(job) }, "the outcome of a job could not be stored"),
      )
      .finally(() => {
        this.#running.delete(job.id);
        this.wake();
      });
    this.#running.set(job.id, { type: job.type, stop, done });
  }

  async #run(job: Job, stop: AbortController): Promise<void> {
    const { database, handlers, logger, metrics, holder } = this.#options;
    const lease: Lease = { organizationId: job.organizationId, jobId: job.id, holder };
    const renewal = this.#renew(lease, stop);
    let { attempts } = job;
    let { processed } = job.progress;
    const distance = new Distance(job);
    logger.info({ ...labels(job), attempts, processed }, "job started");
    try {
      if (attempts > MAX_ATTEMPTS) throw new JobFailure(`It was begun ${attempts - 1} times without getting further.`);
      const completion = await handlers[job.type].run({
        job,
        signal: stop.signal,
        async save(progress, checkpoint, tx = database) {
          stop.signal.throwIfAborted();
          const isFurther = distance.isFurther(progress.processed, checkpoint);
          if (!(await saveCheckpoint(tx, lease, progress, checkpoint, { isFurther }))) throw new LeaseLost();
          metrics.jobRecords.inc({ type: job.type }, progress.processed - processed);
          processed = progress.processed;
          if (isFurther) attempts = 0;
        },
      });
      const outcome = await completeJob(database, lease, completion);
      if (outcome === "lost") throw new LeaseLost();
      if (outcome === "erased") throw new Error("Somebody was erased who may be in the file. It is written again.");
      await this.#end(job, "completed", completion.result);
    } catch (error) {
      await this.#handleFailure(job, lease, stop.signal.aborted ? stop.signal.reason : error, attempts);
    } finally {
      // Not awaited, because a renewal in progress must not hold the slot of a finished job.
      void renewal.stop();
    }
  }

  /** Renews the lease while the job runs, and stops the job when the lease is lost. */
  #renew(lease: Lease, stop: AbortController): Loop {
    const { database, logger } = this.#options;
    const renewal = new Loop({
      async step() {
        if (!(await renewLease(database, lease))) stop.abort(new LeaseLost());
        // The jobs of a disabled organization go on when it is enabled again.
        else if (!(await findOrganization(database, lease.organizationId))?.enabled) stop.abort(new Stopping());
        return RENEW_EVERY_MS;
      },
      // If the database stays unavailable, the run itself fails. Here only a lost lease counts.
      onError: (error) => logger.warn({ err: error, jobId: lease.jobId }, "lease of a job could not be renewed"),
    });
    renewal.start({ afterMs: RENEW_EVERY_MS });
    return renewal;
  }

  /** Decides what happens to a job whose run has thrown. */
  async #handleFailure(job: Job, lease: Lease, error: unknown, attempts: number): Promise<void> {
    const { database, logger } = this.#options;
    if (error instanceof Stopping) {
      await releaseJob(database, lease, { afterMs: 0, error: null, isAttempt: false });
    } else if (error instanceof LeaseLost) {
      if (await isUnfinished(database, lease)) await this.#leave(job);
      else await this.#end(job, "canceled", {});
    } else if (error instanceof JobFailure || (attempts >= MAX_ATTEMPTS && !isUnavailable(error))) {
      const { message } = error as Error;
      await failJob(database, lease, message);
      await this.#end(job, "failed", { error: message });
    } else {
      const isAttempt = !isUnavailable(error);
      const afterMs = isAttempt ? Math.min(FIRST_RETRY_MS * 2 ** attempts, LAST_RETRY_MS) : UNAVAILABLE_RETRY_MS;
      logger.warn({ err: error, ...labels(job), afterMs }, "job will be tried again");
      await releaseJob(database, lease, { afterMs, error: (error as Error).message, isAttempt });
    }
  }

  /** Another process runs the job now, with files of its own. */
  async #leave(job: Job): Promise<void> {
    this.#options.logger.info(labels(job), "job taken over by another process");
    await this.#options.handlers[job.type].leave(job);
  }

  async #end(job: Job, outcome: (typeof OUTCOMES)[number], facts: object): Promise<void> {
    const { handlers, logger, metrics } = this.#options;
    metrics.jobs.inc({ type: job.type, outcome });
    logger.info({ ...labels(job), ...facts }, `job ${outcome}`);
    await handlers[job.type].discard(job);
    this.#options.onEnd();
  }
}

/** Whether an engine is unavailable or the disk is full. These failures do not count as attempts of the job. */
function isUnavailable(error: unknown): boolean {
  return error instanceof Refusal && error.code === "unavailable";
}

function labels({ id, organizationId, type, object }: Job) {
  return { jobId: id, organizationId, type, object };
}
