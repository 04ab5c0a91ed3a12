import { createId, Refusal } from "@muster/protocol";
import type { Job as JobRecord } from "@muster/protocol/api/jobs";
import type { Job, JobStatus, JobType, NewJob } from "../domain/jobs/job.js";
import type { Vault } from "../runtime/secrets/vault.js";
import type { Database } from "../storage/postgres/database.js";
import { type RejectionReason, readRejectionReasons } from "../storage/postgres/jobs/job-rejections.js";
import { cancelJob, createJob, findJob, listActiveJobs, listJobs } from "../storage/postgres/jobs/jobs.js";
import type { DownloadLinks } from "./files/download-links.js";
import { sealAddress } from "./job-address.js";
import { jobRecord } from "./job-record.js";
import type { JobRunner } from "./runner/job-runner.js";

export interface JobsOptions {
  database: Database;
  vault: Vault;
  runner: Pick<JobRunner, "wake" | "interrupt">;
  links: DownloadLinks;
}

/** Who cancels a job. */
export interface JobCanceler {
  /** Undefined for the operator and members. */
  connectorId: string | undefined;
  /** An owner or the operator. */
  isOwner: boolean;
}

/**
 * Schedules, lists and cancels the jobs of organizations. `readerConnectorId` is
 * the connector that asks, or undefined for the operator. A connector sees all jobs, but only the files of its own, and
 * cancels only its own.
 */
export class Jobs {
  readonly #options: JobsOptions;

  constructor(options: JobsOptions) {
    this.#options = options;
  }

  /** Schedules a job. Any process of the installation that runs jobs may run it. */
  async schedule(organizationId: string, job: NewJob): Promise<JobRecord> {
    const { database, vault } = this.#options;
    const id = createId("job");
    const { parameters, sealedUrl } = sealAddress(vault, id, job.parameters);
    const created = await createJob(database, organizationId, { ...job, parameters }, { id, sealedUrl });
    this.#options.runner.wake();
    return this.#record(created, job.connectorId);
  }

  /** Jobs of an organization, the latest first. */
  async list(
    organizationId: string,
    readerConnectorId: string | undefined,
    filter: { type?: JobType | undefined; status?: JobStatus | undefined; connectorId?: string | undefined },
    page: { limit: number; offset: number },
  ): Promise<{ total: number; jobs: JobRecord[] }> {
    const { total, jobs } = await listJobs(this.#options.database, organizationId, filter, page);
    return { total, jobs: jobs.map((job) => this.#record(job, readerConnectorId)) };
  }

  /** Jobs of an organization that are scheduled or running. */
  async active(organizationId: string, readerConnectorId: string | undefined): Promise<JobRecord[]> {
    const jobs = await listActiveJobs(this.#options.database, organizationId);
    return jobs.map((job) => this.#record(job, readerConnectorId));
  }

  async find(
    organizationId: string,
    readerConnectorId: string | undefined,
    id: string,
  ): Promise<JobRecord | undefined> {
    const job = await findJob(this.#options.database, organizationId, id);
    return job && this.#record(job, readerConnectorId);
  }

  /**
   * Cancels a job that has not finished. Undefined when there is no such job. Entries that an import has logged stay.
   */
  async cancel(
    organizationId: string,
    { connectorId: readerConnectorId, isOwner }: JobCanceler,
    id: string,
  ): Promise<JobRecord | undefined> {
    const { database, runner } = this.#options;
    const wanted = await findJob(database, organizationId, id);
    if (!wanted) return undefined;
    if (!isOwn(wanted, readerConnectorId)) {
      throw new Refusal("forbidden", "Only the connector that started the job and the operator may cancel it.");
    }
    if (wanted.type === "rewrite") {
      throw new Refusal("conflict", "A rewrite cannot be canceled: a part of the values is changed already.");
    }
    if (wanted.type === "revert" && !isOwner) {
      throw new Refusal("forbidden", "Only an owner or the operator may cancel an undo, which leaves it half done.");
    }
    const wasCanceled = await cancelJob(database, organizationId, id);
    runner.interrupt(id);
    const job = await findJob(database, organizationId, id);
    if (job && !wasCanceled && job.status !== "canceled") {
      throw new Refusal("conflict", `The job has ${job.status} and cannot be canceled any more.`);
    }
    return job && this.#record(job, readerConnectorId);
  }

  /** Why rows of an import were refused, the most frequent reasons first. Undefined when there is no such job. */
  async refusalReasons(
    organizationId: string,
    readerConnectorId: string | undefined,
    id: string,
  ): Promise<RejectionReason[] | undefined> {
    const job = await findJob(this.#options.database, organizationId, id);
    if (!job || !isOwn(job, readerConnectorId)) return undefined;
    return readRejectionReasons(this.#options.database, organizationId, id);
  }

  #record(job: Job, readerConnectorId: string | undefined): JobRecord {
    const record = jobRecord(job, this.#options.links, Date.now());
    if (isOwn(job, readerConnectorId)) return record;
    const { download_url, rejected_url, refused_rows_url, ...shown } = record;
    return shown;
  }
}

function isOwn({ connectorId }: Job, readerConnectorId: string | undefined): boolean {
  return readerConnectorId === undefined || readerConnectorId === connectorId;
}
