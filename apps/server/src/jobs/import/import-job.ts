import { DAY_MS } from "@muster/protocol";
import { attributeName } from "@muster/query";
import type { ImportRules } from "../../domain/jobs/import-record.js";
import { type Job, type JobProgress, subjectTypeOf } from "../../domain/jobs/job.js";
import type { ApplyRules } from "../../pipeline/apply/apply-rules.js";
import type { Pipeline } from "../../pipeline/pipeline.js";
import type { Vault } from "../../runtime/secrets/vault.js";
import type { Threads } from "../../runtime/threads/threads.js";
import type { FileStore } from "../../storage/files/file-store.js";
import { lastErasure } from "../../storage/postgres/changes/erasures.js";
import type { Database } from "../../storage/postgres/database.js";
import type { Completion } from "../../storage/postgres/jobs/job-leases.js";
import { saveRejectedLines } from "../../storage/postgres/jobs/job-rejections.js";
import type { ImportFile, ImportFiles } from "../files/import-files.js";
import { jobFileKey } from "../files/job-files.js";
import { addressOf } from "../job-address.js";
import type { ImportParameters } from "../parameters/import-parameters.js";
import { JobFailure } from "../runner/job-failure.js";
import type { JobHandler, JobRun } from "../runner/job-handler.js";
import { ImportAppender, type ImportCheckpoint } from "./import-appender.js";
import { ImportDryRun } from "./import-dry-run.js";
import { ImportPace } from "./import-pace.js";
import { type ImportReading, readEntries } from "./read-entries.js";
import { readImport } from "./read-import.js";
import { writeRefusedRows } from "./refused-rows.js";

export interface ImportJobOptions {
  database: Database;
  vault: Vault;
  pipeline: Pipeline;
  /** Starts the thread that reads a large file. */
  threads: Threads;
  files: ImportFiles;
  /** The share of the time that an import works. */
  share: number;
  /** For dry runs. */
  applyRules: ApplyRules;
  /** Where the refused rows are stored, and for how long. */
  kept: FileStore;
  retentionDays: number;
}

// A chunk becomes one batch of the log, whose key names its first record. So these limits must never change: a longer chunk
// under the key of a shorter one would lose records of an import that is interrupted by an upgrade.
const CHUNK = { records: 2_000, bytes: 1024 * 1024, recordBytes: 1024 * 1024 };

/** Imports users, accounts or events from a file, through the same log as every other record. */
export function createImport(options: ImportJobOptions): JobHandler {
  return {
    run: (run) => runImport(run, options),
    discard: ({ id }) => options.files.discard(id),
    leave: ({ id }) => options.files.leave(id),
  };
}

async function runImport(run: JobRun, options: ImportJobOptions): Promise<Completion> {
  // Every import is scheduled with these parameters, and only this folder saves its checkpoint.
  const job = run.job as Job<ImportParameters, ImportCheckpoint>;
  const url = addressOf(options.vault, job);
  if (url === null) throw new JobFailure("The job has no address of a file.");
  const { dryRun } = job.parameters;
  const file = await options.files.fetch(job.organizationId, job.id, url, { keepsUpload: dryRun, signal: run.signal });
  const { digest } = job.checkpoint;
  if (digest !== undefined && digest !== file.digest) {
    throw new JobFailure("The file has changed since the import began, so the import cannot go on where it stopped.");
  }
  const completion = dryRun ? await dryRunFile(run, job, file, options) : await importFile(run, job, file, options);
  return Number(completion.result.refused ?? completion.result.rejected) === 0
    ? completion
    : { ...completion, file: await keepRefusedRows(run, job, file, options) };
}

/** Stores the refused rows for download. */
async function keepRefusedRows(
  run: JobRun,
  job: Job<ImportParameters>,
  { path: source }: ImportFile,
  { database, files, kept, retentionDays }: ImportJobOptions,
): Promise<Completion["file"]> {
  const erasedUntil = await lastErasure(database, job.organizationId);
  const path = await files.scratchPath(job.id);
  const bytes = await writeRefusedRows({ database, job, source, path, limits: CHUNK, signal: run.signal });
  await kept.keep(jobFileKey(job), path);
  return { bytes, expiresAt: new Date(Date.now() + retentionDays * DAY_MS), erasedUntil };
}

async function importFile(
  run: JobRun,
  job: Job<ImportParameters, ImportCheckpoint>,
  file: ImportFile,
  { database, pipeline, share, threads }: ImportJobOptions,
): Promise<Completion> {
  const appender = new ImportAppender({ run, job, file, database, pipeline, pace: new ImportPace(share) });
  await appender.save();
  // The next chunk is read while the one before is appended. Chunks are appended in order, so that later lines win.
  let appended: Promise<void> = Promise.resolve();
  try {
    const reading = readingOf(job, file, appender.appended);
    for await (const chunk of readImport(reading, { bytes: file.bytes, signal: run.signal, threads })) {
      await appended;
      appended = appender.append(chunk);
      // The promise is awaited one chunk later; without this, Node would report an unhandled rejection until then.
      appended.catch(() => undefined);
    }
  } finally {
    // The append in progress must end before the job does, also when the rest of the file is broken.
    await appended;
  }
  const { processed, rejected } = await appender.finish();
  return { result: { records: processed, rejected } };
}

/** Counts what the import would do: how many would be new, how many would change, which lines would be refused. */
async function dryRunFile(
  run: JobRun,
  job: Job<ImportParameters, ImportCheckpoint>,
  file: ImportFile,
  { database, applyRules }: ImportJobOptions,
): Promise<Completion> {
  const { organizationId, id } = job;
  const dryRun = new ImportDryRun(database, applyRules, organizationId);
  const progress: JobProgress = { ...job.progress, processed: 0, rejected: 0, totalBytes: file.bytes };
  for await (const { entries, rejected, records, bytesRead } of readEntries(readingOf(job, file, 0), run.signal)) {
    const refused = new Map(rejected.map((line) => [line.line, line]));
    for (const { entry, code, message } of await dryRun.add(entries)) {
      if (entry.line !== undefined) refused.set(entry.line, { line: entry.line, code, message });
    }
    await saveRejectedLines(database, organizationId, id, [...refused.values()]);
    progress.processed += records;
    progress.processedBytes = bytesRead;
    progress.rejected += refused.size;
    // The counts are not stored, so a dry run that is interrupted begins again.
    await run.save(progress, { digest: file.digest });
  }
  progress.total = progress.processed;
  await run.save(progress, { digest: file.digest });
  return { result: { records: progress.processed, ...dryRun.counts, refused: progress.rejected } };
}

function readingOf(job: Job<ImportParameters>, file: ImportFile, skip: number): ImportReading {
  const { csv, columns } = job.parameters;
  const format = { object: job.object, csv, columns };
  return { path: file.path, skip, limits: CHUNK, format, rules: rulesOf(job, file) };
}

function rulesOf(job: Job<ImportParameters>, file: ImportFile): ImportRules {
  const { overwrite, notify, emitEvent, traits } = job.parameters;
  const subjectType = subjectTypeOf(job.object);
  const defaults = Object.fromEntries(
    Object.entries(traits).map(([key, value]) => [attributeName(subjectType, key), value]),
  );
  const jobProperties = { job_id: job.id, job_name: job.name, job_description: job.description };
  return {
    object: job.object,
    connectorId: job.connectorId,
    jobId: job.id,
    at: (job.startedAt ?? job.createdAt).getTime(),
    // An upload is often older than the import that names it. A downloaded file counts as given with the job.
    writtenAt: Math.min(job.createdAt.getTime(), file.changedAt),
    overwrite,
    notify,
    defaults,
    announces: emitEvent ? { ...traits, ...jobProperties } : undefined,
  };
}
