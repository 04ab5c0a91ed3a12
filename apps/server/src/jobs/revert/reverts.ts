import { Refusal } from "@muster/protocol";
import type { Job as JobRecord } from "@muster/protocol/api/jobs";
import type { Job } from "../../domain/jobs/job.js";
import { readNotedSince } from "../../storage/postgres/changes/change-writers.js";
import type { Database } from "../../storage/postgres/database.js";
import { findJob, listReverts } from "../../storage/postgres/jobs/jobs.js";
import type { Jobs } from "../jobs.js";
import type { ImportParameters } from "../parameters/import-parameters.js";
import { isJobUndone } from "./is-job-undone.js";
import type { RevertParameters } from "./revert-parameters.js";
import { writerOfJob } from "./writer-of-job.js";

export interface RevertsOptions {
  database: Database;
  jobs: Pick<Jobs, "schedule">;
}

/** Who asks, and whether it is only to be counted. `connectorId` is empty for people. */
export interface RevertRequest {
  connectorId: string;
  dryRun: boolean;
}

/** Schedules jobs that take back what jobs and connectors wrote. */
export class Reverts {
  readonly #options: RevertsOptions;

  constructor(options: RevertsOptions) {
    this.#options = options;
  }

  /** Takes back what an import or an undo wrote. Undefined when there is no such job. */
  async revertJob(
    organizationId: string,
    jobId: string,
    { connectorId, dryRun }: RevertRequest,
  ): Promise<JobRecord | undefined> {
    const { database } = this.#options;
    const job = await findJob(database, organizationId, jobId);
    if (!job) return undefined;
    if (job.type !== "import" && job.type !== "revert") {
      throw new Refusal("conflict", `An ${job.type} cannot be undone: only what an import or an undo wrote can.`);
    }
    const given = job.parameters as ImportParameters | RevertParameters;
    if (given.dryRun) throw new Refusal("conflict", "The job was a dry run: it has changed nothing.");
    if (job.status === "scheduled" || job.status === "running") {
      throw new Refusal("conflict", "The job is not done yet. Cancel it first, or wait until it has ended.");
    }
    const writer = writerOfJob(job);
    await this.#refuseTwice(organizationId, writer);
    const { position = null } = job.checkpoint as { position?: string };
    const isImport = job.type === "import";
    return this.#schedule(organizationId, `Undo of ${job.name}`, job.object, {
      writer,
      job: {
        id: job.id,
        at: isImport ? (job.startedAt ?? job.createdAt).getTime() : null,
        position: isImport ? position : null,
        bringsEvents: isImport && job.object === "events",
      },
      range: null,
      isQuiet: "isQuiet" in given ? given.isQuiet : !given.notify,
      dryRun,
      knownSince: await this.#knownSince(job.createdAt),
      connectorId,
    });
  }

  /** Takes back what a connector itself wrote in a range of time. What its jobs wrote stays. */
  async revertConnector(
    organizationId: string,
    connector: { id: string; name: string },
    range: { from: Date; to: Date },
    { connectorId, dryRun }: RevertRequest,
  ): Promise<JobRecord> {
    await this.#refuseTwice(organizationId, connector.id, true);
    return this.#schedule(organizationId, `Undo of ${connector.name}`, "users", {
      writer: connector.id,
      job: null,
      range: { from: range.from.getTime(), to: range.to.getTime() },
      isQuiet: false,
      dryRun,
      knownSince: await this.#knownSince(range.from),
      connectorId,
    });
  }

  #schedule(
    organizationId: string,
    name: string,
    object: Job["object"],
    { connectorId, ...parameters }: RevertParameters & { connectorId: string },
  ): Promise<JobRecord> {
    const job = { type: "revert" as const, object, name: name.slice(0, 500), connectorId, parameters };
    return this.#options.jobs.schedule(organizationId, job);
  }

  /** A second undo of the same job would find nothing. After the undo was undone, there is something again. */
  async #refuseTwice(organizationId: string, writer: string, onlyActive = false): Promise<void> {
    const reverts = await listReverts(this.#options.database, organizationId, writer);
    const active = reverts.find(({ status }) => status === "scheduled" || status === "running");
    if (active) throw new Refusal("conflict", `The job ${active.id} is undoing it.`);
    const last = reverts.find(({ status }) => status === "completed");
    if (onlyActive || !last || !(await isJobUndone(this.#options.database, organizationId, writer))) return;
    throw new Refusal("conflict", `The job ${last.id} has undone it. To have it again, undo that job.`);
  }

  async #knownSince(first: Date): Promise<string | null> {
    const since = await readNotedSince(this.#options.database);
    return since > first ? since.toISOString() : null;
  }
}
