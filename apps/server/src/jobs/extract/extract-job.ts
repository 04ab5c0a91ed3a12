import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { DAY_MS } from "@muster/protocol";
import { QueryError } from "@muster/query";
import type { Job } from "../../domain/jobs/job.js";
import { asDiskFull, type DiskSpace } from "../../runtime/disk-space.js";
import type { FileStore } from "../../storage/files/file-store.js";
import { isErasureUnprojected, lastErasure } from "../../storage/postgres/changes/erasures.js";
import type { Database } from "../../storage/postgres/database.js";
import type { Completion } from "../../storage/postgres/jobs/job-leases.js";
import { withoutFormula } from "../../storage/questions/csv-formulas.js";
import type { KeyRange } from "../../storage/questions/extracting.js";
import type { Questions } from "../../storage/questions/questions.js";
import { jobFileKey } from "../files/job-files.js";
import { hasAddress } from "../job-address.js";
import { JobFailure } from "../runner/job-failure.js";
import type { JobHandler, JobRun } from "../runner/job-handler.js";
import type { ExtractCheckpoint } from "./extract-checkpoint.js";
import { ExtractFile } from "./extract-file.js";
import type { ExtractParameters } from "./extract-parameters.js";
import { type ExtractPlan, planExtract } from "./extract-plan.js";
import { countIfQuick, extractProgress } from "./extract-progress.js";
import { hideAttributes } from "./hide-attributes.js";
import { removeParts, writeParquetFile } from "./parquet-file.js";
import { printRanges, type RangePrinter } from "./print-ranges.js";

export interface ExtractJobOptions {
  database: Database;
  questions: Questions;
  files: FileStore;
  disk: Pick<DiskSpace, "require">;
  /** Where a file is while the extract writes it. */
  folder: string;
  retentionDays: number;
}

/** Somebody was erased while the file was written, so the file is written again: so often at most. */
const MAX_REWRITES = 5;
const LOOK_AGAIN_MS = 100;

/** Writes the rows that a query selects to a file, one range of keys after the other. */
export function createExtract(options: ExtractJobOptions): JobHandler {
  const pathOf = ({ id }: Job) => join(options.folder, `${id}.part`);
  return {
    async run(run) {
      await mkdir(options.folder, { recursive: true, mode: 0o700 });
      return runExtract(run, pathOf(run.job), options).catch((error: unknown) => {
        // The query was checked when the extract was requested, but an attribute may have been removed since then.
        throw error instanceof QueryError ? new JobFailure(error.message, { cause: error }) : asDiskFull(error);
      });
    },
    discard: (job) => removeParts(pathOf(job)),
  };
}

async function runExtract(run: JobRun, path: string, options: ExtractJobOptions): Promise<Completion> {
  // Every extract is scheduled with these parameters, and only this module saves its checkpoint.
  const job = run.job as Job<ExtractParameters, ExtractCheckpoint>;
  const { format } = job.parameters;
  const plan = await planExtract(options.database, job);
  // An earlier run may have stored its file and not completed the job, because somebody was erased.
  await options.files.remove(jobFileKey(job));
  const { bytes, rows, erasedUntil } = await writeWithoutErased(run, path, job, plan, options);
  await options.files.keep(jobFileKey(job), path);
  const expiresAt = new Date(Date.now() + options.retentionDays * DAY_MS);
  return { result: { records: rows, format }, file: { bytes, expiresAt, erasedUntil }, callsBack: hasAddress(job) };
}

/** Writes the file. Nobody is in it who was erased before it was complete. */
async function writeWithoutErased(
  run: JobRun,
  path: string,
  job: Job<ExtractParameters, ExtractCheckpoint>,
  plan: ExtractPlan,
  options: ExtractJobOptions,
): Promise<{ bytes: number; rows: number; erasedUntil: number }> {
  const { database } = options;
  let erasedUntil = await lastErasure(database, job.organizationId);
  // A file does not go on when somebody was erased since it was begun.
  let checkpoint = job.checkpoint.erasedUntil === erasedUntil ? job.checkpoint : { erasedUntil };
  for (let rewrites = 0; ; rewrites++) {
    while (await isErasureUnprojected(database, job.organizationId)) {
      await sleep(LOOK_AGAIN_MS, undefined, { signal: run.signal });
    }
    const written =
      job.parameters.format === "parquet"
        ? await writeParquetFile(run, path, checkpoint, plan, options)
        : await writeLines(run, path, { ...job, checkpoint }, plan, options);
    const last = await lastErasure(database, job.organizationId);
    if (last <= erasedUntil) return { ...written, erasedUntil };
    if (rewrites === MAX_REWRITES) {
      throw new JobFailure("Somebody was erased each time the file was written. Request the extract again.");
    }
    erasedUntil = last;
    checkpoint = { erasedUntil };
  }
}

async function writeLines(
  run: JobRun,
  path: string,
  job: Job<ExtractParameters, ExtractCheckpoint>,
  plan: ExtractPlan,
  options: ExtractJobOptions,
): Promise<{ bytes: number; rows: number }> {
  const opened = await openFile(path, job);
  const { file } = opened;
  try {
    await writeRanges(run, opened, plan, options);
    await file.sync();
  } finally {
    await file.close();
  }
  return { bytes: file.bytes, rows: file.rows };
}

interface OpenedFile {
  file: ExtractFile;
  checkpoint: ExtractCheckpoint;
}

/** Opens the file as the checkpoint left it, or a new one when this machine does not have it. */
async function openFile(path: string, job: Job<ExtractParameters, ExtractCheckpoint>): Promise<OpenedFile> {
  const { checkpoint, parameters } = job;
  const { bytes = 0, rows = 0, erasedUntil } = checkpoint;
  const file = await ExtractFile.open(path, parameters.format, { bytes, rows });
  if (file) return { file, checkpoint };
  const fresh = await ExtractFile.open(path, parameters.format, { bytes: 0, rows: 0 });
  if (!fresh) throw new Error(`The file ${path} cannot be created.`);
  return { file: fresh, checkpoint: erasedUntil === undefined ? {} : { erasedUntil } };
}

/** Writes the rows of the plan, one range of keys after the other, and saves a checkpoint after each. */
async function writeRanges(
  run: JobRun,
  { file, checkpoint }: OpenedFile,
  plan: ExtractPlan,
  { questions, disk }: ExtractJobOptions,
): Promise<void> {
  const { organizationId } = run.job;
  const { selection, columns } = plan;
  const { target } = selection;
  if (columns.length > 0 && file.bytes === 0) {
    await file.writeHeader(columns.map(({ header }) => (plan.formulas ? header : withoutFormula(header))));
  }
  const until = checkpoint.until ?? (await questions.lastKey(organizationId, target));
  const total = await countIfQuick(questions, organizationId, selection);
  const progress = () => extractProgress(file, total);
  await run.save(progress(), checkpoint);
  if (!until) return;

  const printer: RangePrinter = {
    nextRange: (after) => questions.nextRange(organizationId, target, after, until),
    print: (range) => printRange(questions, organizationId, plan, range),
  };
  for await (const { range, pieces } of printRanges(printer, checkpoint.after)) {
    for await (const piece of pieces) {
      run.signal.throwIfAborted();
      await disk.require();
      await file.write(piece);
    }
    await file.sync();
    const { bytes, rows } = file;
    await run.save(progress(), { ...checkpoint, until, after: range.until, bytes, rows } satisfies ExtractCheckpoint);
  }
}

/** The text of a range of rows: CSV when the plan has columns, else JSON lines without hidden attributes. */
function printRange(
  questions: Questions,
  organizationId: string,
  { selection, segments, columns, formulas, hidden }: ExtractPlan,
  range: KeyRange,
): AsyncIterable<Uint8Array> {
  if (columns.length > 0) return questions.csvLines(organizationId, selection, range, segments, columns, { formulas });
  const lines = questions.jsonLines(organizationId, selection, range, segments);
  return hidden.own.length + hidden.account.length > 0 ? hideAttributes(lines, hidden) : lines;
}
