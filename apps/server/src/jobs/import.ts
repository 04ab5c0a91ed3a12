import { setTimeout as sleep } from "node:timers/promises";
import { Refusal } from "@muster/protocol";
import type { Entry } from "../domain/entry.js";
import { type ImportRules, readImportRecord } from "../domain/import-record.js";
import { type LanePositions, parsePosition } from "../domain/lanes.js";
import { bareName } from "../domain/standard-fields.js";
import type { ApplyOptions } from "../pipeline/apply.js";
import type { Pipeline } from "../pipeline/pipeline.js";
import type { Database } from "../storage/postgres/database.js";
import type { Completion } from "../storage/postgres/job-leases.js";
import { countRejectedLines, type RejectedLine, saveRejectedLines } from "../storage/postgres/job-rejections.js";
import type { Job, JobProgress } from "../storage/postgres/jobs.js";
import { type Chunk, readChunks } from "./import-chunks.js";
import type { ImportFile, ImportFiles } from "./import-files.js";
import type { ImportParameters } from "./import-parameters.js";
import { ImportRehearsal } from "./import-rehearsal.js";
import { JobFailure } from "./job-failure.js";
import type { JobHandler, JobRun } from "./job-handler.js";

export interface ImportOptions {
  database: Database;
  pipeline: Pipeline;
  files: ImportFiles;
  apply: ApplyOptions;
}

interface ImportCheckpoint {
  /** Of the file, so that an import goes on only with the file it began with. */
  digest?: string;
  /** Chunks that are in the log. */
  chunks?: number;
  /** Where the last of them is. */
  position?: string;
}

// A chunk becomes one batch of the log and one micro-batch of the applier, which takes as many.
const CHUNK = { records: 4_000, bytes: 8 * 1024 * 1024, recordBytes: 1024 * 1024 };

// The log holds this many chunks that are not searchable yet: enough to keep every stage busy, and too few to use up
// the backlog that the gateway shares.
const CHUNKS_AHEAD = 12;
const FULL_LOG_WAIT_MS = 500;
const COUNT_REJECTED_EVERY_MS = 2_000;

/** Imports users, accounts or events from a file, through the same log as every other record. */
export function createImport(options: ImportOptions): JobHandler {
  return {
    run: (run) => runImport(run, options),
    discard: ({ id }) => options.files.discard(id),
  };
}

async function runImport(run: JobRun, options: ImportOptions): Promise<Completion> {
  // The route stored the one, and this module the other.
  const job = run.job as Job<ImportParameters, ImportCheckpoint>;
  const file = await options.files.fetch(job.organizationId, job.id, job.parameters.url, run.signal);
  const { digest } = job.checkpoint;
  if (digest !== undefined && digest !== file.digest) {
    throw new JobFailure("The file has changed since the import began, and it is not the same records any more.");
  }
  return job.parameters.dryRun ? rehearseFile(run, job, file, options) : importFile(run, job, file, options);
}

async function importFile(
  run: JobRun,
  job: Job<ImportParameters, ImportCheckpoint>,
  file: ImportFile,
  { database, pipeline }: ImportOptions,
): Promise<Completion> {
  const rules = rulesOf(job);
  const { organizationId, id, checkpoint } = job;
  const progress: JobProgress = { ...job.progress, totalBytes: file.bytes };
  const waiting: LanePositions[] = [];
  let { chunks = 0, position } = checkpoint;
  let countedAt = Date.now();

  const save = () => run.save(progress, { digest: file.digest, chunks, position });
  const append = async (chunk: Chunk, entries: Entry[], rejected: RejectedLine[]): Promise<void> => {
    await saveRejectedLines(database, organizationId, id, rejected);
    if (entries.length > 0) {
      // The key makes a chunk that was appended just before a crash the same chunk afterwards.
      const idempotencyKey = `import ${id} ${chunk.number}`;
      position = await whenThereIsRoom(run.signal, () =>
        pipeline.intake.acceptEntries(organizationId, job.connectorId, entries, { lane: "b", idempotencyKey }),
      );
      waiting.push(parsePosition(position) ?? {});
      if (waiting.length > CHUNKS_AHEAD) await untilSearchable(pipeline, organizationId, waiting.shift()!, run.signal);
    }
    progress.processed += chunk.records.length;
    progress.processedBytes = chunk.bytesRead;
    if (Date.now() - countedAt > COUNT_REJECTED_EVERY_MS) {
      progress.rejected = await countRejectedLines(database, organizationId, id);
      countedAt = Date.now();
    }
    chunks = chunk.number + 1;
    await save();
  };

  // The next chunk is read while the one before is appended; they are appended in order, so later lines win.
  let appended: Promise<void> = save();
  for await (const chunk of readChunks(file.path, CHUNK, run.signal)) {
    if (chunk.number < (checkpoint.chunks ?? 0)) continue;
    const { entries, rejected } = readChunk(chunk, rules);
    await appended;
    appended = append(chunk, entries, rejected);
    // Awaited a chunk later, which Node would take for a failure that nobody looks at.
    appended.catch(() => undefined);
  }
  await appended;
  if (position !== undefined)
    await untilSearchable(pipeline, organizationId, parsePosition(position) ?? {}, run.signal);
  progress.total = progress.processed;
  progress.rejected = await countRejectedLines(database, organizationId, id);
  progress.processedBytes = file.bytes;
  await save();
  return { result: { records: progress.processed, rejected: progress.rejected } };
}

/** Tells what an import would do: who would be new, who would change, which lines would be refused. */
async function rehearseFile(
  run: JobRun,
  job: Job<ImportParameters, ImportCheckpoint>,
  file: ImportFile,
  { database, apply }: ImportOptions,
): Promise<Completion> {
  const { organizationId, id } = job;
  const rules = rulesOf(job);
  const rehearsal = new ImportRehearsal(apply, organizationId);
  const progress: JobProgress = { ...job.progress, processed: 0, rejected: 0, totalBytes: file.bytes };
  for await (const chunk of readChunks(file.path, CHUNK, run.signal)) {
    const { entries, rejected } = readChunk(chunk, rules);
    const refused = new Map(rejected.map((line) => [line.line, line]));
    for (const { entry, code, message } of await rehearsal.add(entries)) {
      if (entry.line !== undefined) refused.set(entry.line, { line: entry.line, code, message });
    }
    await saveRejectedLines(database, organizationId, id, [...refused.values()]);
    progress.processed += chunk.records.length;
    progress.processedBytes = chunk.bytesRead;
    progress.rejected += refused.size;
    // What was counted is not stored, so a rehearsal that is interrupted begins again.
    await run.save(progress, { digest: file.digest });
  }
  progress.total = progress.processed;
  await run.save(progress, { digest: file.digest });
  return { result: { records: progress.processed, ...rehearsal.counts, refused: progress.rejected } };
}

function rulesOf(job: Job<ImportParameters>): ImportRules {
  const { overwrite, notify, emitEvent, traits } = job.parameters;
  const kind = job.object === "accounts" ? "account" : "user";
  const defaults = Object.fromEntries(Object.entries(traits).map(([key, value]) => [bareName(kind, key), value]));
  const told = { job_id: job.id, job_name: job.name, job_description: job.description };
  return {
    object: job.object,
    connectorId: job.connectorId,
    jobId: job.id,
    at: (job.startedAt ?? job.createdAt).getTime(),
    overwrite,
    notify,
    defaults,
    announces: emitEvent ? { ...traits, ...told } : undefined,
  };
}

function readChunk(chunk: Chunk, rules: ImportRules): { entries: Entry[]; rejected: RejectedLine[] } {
  const entries: Entry[] = [];
  const rejected: RejectedLine[] = [];
  for (const { line, bytes } of chunk.records) {
    const read = bytes ? readRecord(bytes, line, rules) : `The record is longer than ${CHUNK.recordBytes} bytes.`;
    if (typeof read === "string") rejected.push({ line, code: "invalid_entry", message: read });
    else for (const entry of read) entries.push(entry);
  }
  return { entries, rejected };
}

function readRecord(bytes: Buffer, line: number, rules: ImportRules): Entry[] | string {
  let record: unknown;
  try {
    record = JSON.parse(bytes.toString("utf8"));
  } catch {
    return "The record is not valid JSON.";
  }
  return readImportRecord(record, line, rules);
}

/** Tries again while the log takes nothing, because the disk is full or too much waits to be applied. */
async function whenThereIsRoom<Result>(signal: AbortSignal, act: () => Promise<Result>): Promise<Result> {
  for (;;) {
    try {
      return await act();
    } catch (error) {
      if (!(error instanceof Refusal) || error.code !== "unavailable") throw error;
      await sleep(FULL_LOG_WAIT_MS, undefined, { signal });
    }
  }
}

/** Waits however long it takes: others may be ahead of us. */
async function untilSearchable(
  pipeline: Pipeline,
  organizationId: string,
  position: LanePositions,
  signal: AbortSignal,
): Promise<void> {
  for (;;) {
    try {
      return await pipeline.waitFor(organizationId, position, signal);
    } catch (error) {
      if (!(error instanceof Refusal) || error.code !== "wait_timeout") throw error;
    }
  }
}
