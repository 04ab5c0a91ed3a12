import { join } from "node:path";
import { Refusal } from "@muster/protocol";
import type { Logger } from "pino";
import type { Job, NewJob } from "../domain/jobs/job.js";
import type { Addresses } from "../domain/organizations/addresses.js";
import type { GuardedFetch } from "../outbound/guarded-fetch.js";
import type { ApplyOptions } from "../pipeline/apply/apply.js";
import type { Pipeline } from "../pipeline/pipeline.js";
import { Loop } from "../runtime/loop.js";
import type { Metrics } from "../runtime/metrics.js";
import type { FileStore } from "../storage/files/file-store.js";
import { createLocalFiles } from "../storage/files/local-files.js";
import { createS3Files, type S3Options } from "../storage/files/s3-files.js";
import type { ConnectorStore } from "../storage/postgres/connectors/connectors.js";
import type { Database } from "../storage/postgres/database.js";
import { forgetFile, listExpired } from "../storage/postgres/jobs/job-files.js";
import { cancelJob, createJob, findJob, listActiveJobs, listUnfinishedIds } from "../storage/postgres/jobs/jobs.js";
import type { Questions } from "../storage/questions/questions.js";
import { DownloadLinks } from "./extract/download-links.js";
import { createExtract } from "./extract/extract.js";
import { ExtractCallbacks, type ExtractCallbacksOptions } from "./extract/extract-callbacks.js";
import { createImport } from "./import/import.js";
import { ImportFiles } from "./import/import-files.js";
import { extractFileKey } from "./runner/job-files.js";
import type { JobHandler } from "./runner/job-handler.js";
import { JobRunner } from "./runner/job-runner.js";

export interface JobsOptions {
  database: Database;
  questions: Questions;
  pipeline: Pipeline;
  apply: ApplyOptions;
  connectors: ConnectorStore;
  addresses: Addresses;
  logger: Logger;
  metrics: Metrics;
  /** Tells connectors about users and accounts that somebody chose. */
  exportHandler: JobHandler;
  guardedFetch: GuardedFetch;
  trustedFetch: ExtractCallbacksOptions["trustedFetch"];
  /** Signs download addresses. */
  secretKey: string;
  /** Where files are while jobs work on them, and after, unless there is a bucket. */
  folder: string;
  bucket: S3Options | undefined;
  importMaxBytes: number;
  extractRetentionDays: number;
  slots: number;
  /** Names this process and whoever takes its place. */
  holder: string;
}

const CALL_EVERY_MS = 10_000;
const SWEEP_EVERY_MS = 60 * 60 * 1_000;

/** Imports, extracts and exports: scheduled here, run by whichever process has the time, their files kept and let go. */
export class Jobs {
  /** Uploads and downloads of imports. */
  readonly imports: ImportFiles;
  /** Finished files. */
  readonly files: FileStore;
  readonly links: DownloadLinks;
  readonly #options: JobsOptions;
  readonly #runner: JobRunner;
  readonly #calls: Loop;
  readonly #sweep: Loop;

  constructor(options: JobsOptions) {
    const { database, questions, logger, folder, guardedFetch } = options;
    this.#options = options;
    this.files = options.bucket ? createS3Files(options.bucket) : createLocalFiles(join(folder, "kept"));
    this.links = new DownloadLinks(options.secretKey, options.addresses);
    this.imports = new ImportFiles({
      folder: join(folder, "imports"),
      fetch: guardedFetch,
      maxBytes: options.importMaxBytes,
    });
    const callbacks = new ExtractCallbacks({ ...options, links: this.links });
    this.#calls = new Loop({
      step: async () => {
        await callbacks.callDue();
        return CALL_EVERY_MS;
      },
      onError: (error) => logger.error({ err: error }, "telling of extracts failed"),
    });
    this.#sweep = new Loop({
      step: async () => {
        await this.#sweepFiles();
        return SWEEP_EVERY_MS;
      },
      onError: (error) => logger.error({ err: error }, "sweeping files failed"),
    });
    this.#runner = new JobRunner({
      ...options,
      handlers: {
        import: createImport({ ...options, files: this.imports }),
        extract: createExtract({
          database,
          questions,
          files: this.files,
          folder: join(folder, "extracts"),
          retentionDays: options.extractRetentionDays,
        }),
        export: options.exportHandler,
      },
      onEnd: () => this.#calls.wake(),
    });
  }

  /** Starts to run jobs; without it this process only schedules them. */
  async start(): Promise<void> {
    await this.#runner.start();
    this.#calls.start();
    this.#sweep.start();
  }

  async stop(): Promise<void> {
    await Promise.all([this.#runner.stop(), this.#calls.stop(), this.#sweep.stop()]);
  }

  async schedule(organizationId: string, job: NewJob): Promise<Job> {
    const created = await createJob(this.#options.database, organizationId, job);
    this.#runner.wake();
    return created;
  }

  /** The jobs that wait or run. */
  listActive(organizationId: string): Promise<Job[]> {
    return listActiveJobs(this.#options.database, organizationId);
  }

  /** Cancels a job that has not finished; undefined when there is none. What an import has logged by then stays. */
  async cancel(organizationId: string, id: string): Promise<Job | undefined> {
    const { database } = this.#options;
    const wasCanceled = await cancelJob(database, organizationId, id);
    this.#runner.interrupt(id);
    const job = await findJob(database, organizationId, id);
    if (job && !wasCanceled && job.status !== "canceled") {
      throw new Refusal("conflict", `The job has ${job.status} and cannot be canceled any more.`);
    }
    return job;
  }

  async #sweepFiles(): Promise<void> {
    const { database, logger } = this.#options;
    for (const job of await listExpired(database)) {
      await this.files.remove(extractFileKey(job));
      await forgetFile(database, job);
      logger.info({ jobId: job.id, organizationId: job.organizationId }, "extract expired");
    }
    await this.imports.sweep(new Set(await listUnfinishedIds(database)), Date.now());
  }
}
