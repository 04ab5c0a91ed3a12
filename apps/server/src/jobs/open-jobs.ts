import { createHash } from "node:crypto";
import { join } from "node:path";
import type { Logger } from "pino";
import type { Addresses } from "../domain/organizations/addresses.js";
import type { GuardedFetch } from "../outbound/guarded-fetch.js";
import type { TrustedFetch } from "../outbound/trusted-fetch.js";
import type { DiskSpace } from "../runtime/disk/disk-space.js";
import type { Metrics } from "../runtime/measures/metrics.js";
import type { Vault } from "../runtime/secrets/vault.js";
import type { Config } from "../runtime/settings/config.js";
import { createLocalFiles } from "../storage/files/local-files.js";
import { createS3Files, type S3Options } from "../storage/files/s3-files.js";
import type { ConnectorStore } from "../storage/postgres/connectors/connectors.js";
import type { Database } from "../storage/postgres/database.js";
import type { Questions } from "../storage/questions/questions.js";
import { createExport, type ExportJobOptions } from "./export/export-job.js";
import { Exports } from "./export/exports.js";
import { SingleSends } from "./export/single-sends.js";
import { ExtractCallbacks } from "./extract/extract-callbacks.js";
import { createExtract } from "./extract/extract-job.js";
import { Extracts } from "./extract/extracts.js";
import { DownloadLinks } from "./files/download-links.js";
import { Downloads } from "./files/downloads.js";
import { createFileRemoval, removeUploadsBefore } from "./files/file-removal.js";
import { ImportFiles } from "./files/import-files.js";
import { removeOrganizationFiles } from "./files/remove-organization-files.js";
import { ImportInspector } from "./import/import-inspector.js";
import { createImport, type ImportJobOptions } from "./import/import-job.js";
import { Imports } from "./import/imports.js";
import { Jobs } from "./jobs.js";
import { createRevert } from "./revert/revert-job.js";
import { Reverts } from "./revert/reverts.js";
import { createRewrite, type RewriteJobOptions } from "./rewrite/rewrite-job.js";
import { Rewrites } from "./rewrite/rewrites.js";
import { JobRunner, type JobRunnerOptions } from "./runner/job-runner.js";

/** What the jobs need of the rest of the server, by the part that needs it. */
export interface OpenJobsOptions {
  database: Database;
  questions: Questions;
  /** The disk of the data directory, where files are while they are read or written. */
  disk: DiskSpace;
  logger: Logger;
  metrics: Metrics;
  vault: Vault;
  /** For addresses that users give. */
  guardedFetch: GuardedFetch;
  /** For addresses of connectors. */
  trustedFetch: TrustedFetch;
  runner: Pick<JobRunnerOptions, "holder">;
  /** Called when a job is due that another process may run. */
  onScheduled(): void;
  imports: Pick<ImportJobOptions, "pipeline" | "applyRules" | "threads">;
  exports: Pick<ExportJobOptions, "directory" | "onQueued">;
  rewrites: Pick<RewriteJobOptions, "relaySoon" | "sweepSoon">;
  /** For the calls that say where the file of an extract is, and for downloads. */
  connectors: ConnectorStore;
  /** For the signed addresses of files. */
  links: { secretKey: string; addresses: Addresses };
}

/** The services that schedule jobs, show them and hand out their files. */
export interface JobServices {
  jobs: Jobs;
  imports: Imports;
  inspector: ImportInspector;
  extracts: Extracts;
  exports: Exports;
  singleSends: SingleSends;
  rewrites: Rewrites;
  reverts: Reverts;
  /** Files that clients send for imports. */
  uploads: ImportFiles;
  downloads: Downloads;
}

export interface OpenedJobs {
  services: JobServices;
  /** Starts to run jobs. A process that does not start them only schedules. */
  start(): void;
  /** Looks for jobs and calls that are due now. */
  wake(): void;
  stop(): Promise<void>;
  /** Removes all files of an organization. */
  removeFilesOf(organizationId: string): Promise<void>;
  /** Removes the uploads of an organization from before a time that no import needs. Returns how many. */
  removeUploadsBefore(organizationId: string, before: Date): Promise<number>;
}

/** Opens jobs as the settings say. */
export function openJobs(config: Config, options: OpenJobsOptions): OpenedJobs {
  const { database, questions, disk, logger, metrics, vault, guardedFetch, trustedFetch } = options;
  const { addresses } = options.links;
  const { applyRules } = options.imports;
  const folder = join(config.dataDir, "files");
  const bucket = bucketOf(config);
  const files = bucket ? createS3Files(bucket) : createLocalFiles(join(folder, "kept"));
  const links = new DownloadLinks(options.links.secretKey, addresses);
  const ownName = nameInFiles(options.runner.holder);
  const uploads = new ImportFiles({
    runner: ownName,
    folder: join(folder, "imports"),
    fetch: guardedFetch,
    disk,
    maxBytes: config.importMaxBytes,
  });
  const callbacks = new ExtractCallbacks({
    database,
    vault,
    logger,
    connectors: options.connectors,
    addresses,
    links,
    guardedFetch,
    trustedFetch,
  });
  const fileRemoval = createFileRemoval({ database, logger, files, importFiles: uploads });
  const snapshots = { database, questions, maxAttributes: config.maxAttributes, ...options.exports };
  const handlers = {
    import: createImport({
      database,
      vault,
      files: uploads,
      share: config.importShare,
      kept: files,
      retentionDays: config.extractRetentionDays,
      ...options.imports,
    }),
    extract: createExtract({
      database,
      questions,
      files,
      disk,
      folder: join(folder, "extracts"),
      runner: ownName,
      retentionDays: config.extractRetentionDays,
    }),
    export: createExport(snapshots),
    rewrite: createRewrite({ database, questions, metrics, applyRules, ...options.rewrites }),
    revert: createRevert({
      database,
      metrics,
      pipeline: options.imports.pipeline,
      applyRules,
      relaySoon: options.rewrites.relaySoon,
    }),
  };
  const runner = new JobRunner({
    database,
    logger,
    metrics,
    handlers,
    slots: config.jobSlots,
    holder: options.runner.holder,
    onEnd: () => callbacks.wake(),
  });
  const scheduling = {
    wake() {
      runner.wake();
      options.onScheduled();
    },
    interrupt: (jobId: string) => runner.interrupt(jobId),
  };
  const jobs = new Jobs({ database, vault, runner: scheduling, links });
  return {
    services: {
      jobs,
      imports: new Imports(jobs, uploads),
      inspector: new ImportInspector({ database, files: uploads, maxAttributes: config.maxAttributes }),
      extracts: new Extracts({ database, jobs }),
      exports: new Exports({ database, jobs }),
      singleSends: new SingleSends(snapshots),
      rewrites: new Rewrites({ database, questions, jobs }),
      reverts: new Reverts({ database, jobs }),
      uploads,
      downloads: new Downloads({ database, links, files, connectors: options.connectors }),
    },
    start() {
      runner.start();
      callbacks.start();
      fileRemoval.start();
    },
    wake() {
      runner.wake();
      callbacks.wake();
    },
    removeFilesOf: (organizationId) =>
      removeOrganizationFiles({ database, files, importFiles: uploads, handlers }, organizationId),
    removeUploadsBefore: (organizationId, before) =>
      removeUploadsBefore({ database, importFiles: uploads }, organizationId, before),
    async stop() {
      await Promise.all([runner.stop(), callbacks.stop(), fileRemoval.stop()]);
    },
  };
}

function bucketOf(config: Config): S3Options | undefined {
  const { s3Endpoint: endpoint, s3Bucket: bucket, s3Region: region } = config;
  const { s3AccessKeyId: accessKeyId, s3SecretAccessKey: secretAccessKey } = config;
  if (!endpoint || !bucket || !accessKeyId || !secretAccessKey) return undefined;
  return { endpoint, bucket, region, accessKeyId, secretAccessKey };
}

/** A short name of a process, which it keeps after a restart. */
function nameInFiles(holder: string): string {
  return createHash("sha256").update(holder).digest("hex").slice(0, 12);
}
