import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { DAY_MS } from "@muster/protocol";
import { QueryError } from "@muster/query";
import type { Job } from "../../domain/jobs/job.js";
import { asDiskFull, type DiskSpace } from "../../runtime/disk/disk-space.js";
import type { FileStore } from "../../storage/files/file-store.js";
import { isErasureUnprojected, lastErasure } from "../../storage/postgres/changes/erasures.js";
import type { Database } from "../../storage/postgres/database.js";
import type { Completion } from "../../storage/postgres/jobs/job-leases.js";
import { withoutFormula } from "../../storage/questions/csv-formulas.js";
import type { KeyRange } from "../../storage/questions/extracting.js";
import type { Questions } from "../../storage/questions/questions.js";
import { jobFileKey } from "../files/job-files.js";
import { hasAddress } from "../job-address.js";
import type { ExtractParameters } from "../parameters/extract-parameters.js";
import { JobFailure } from "../runner/job-failure.js";
import type { JobHandler, JobRun } from "../runner/job-handler.js";
import type { ExtractCheckpoint } from "./extract-checkpoint.js";
import { ExtractFile } from "./extract-file.js";
import { type ExtractPlan, planExtract } from "./extract-plan.js";
import { hideAttributes } from "./hide-attributes.js";
import { writeParquetFile } from "./parquet-file.js";
import { removeParts } from "./part-files.js";
import { readPieces } from "./read-pieces.js";
import { writeRanges } from "./write-ranges.js";

export interface ExtractJobOptions {
  database: Database;
  questions: Questions;
  files: FileStore;
  disk: Pick<DiskSpace, "require">;
  /** Where a file is while the extract writes it. Several processes may share the folder. */
  folder: string;
  /** Names the files of this process in it. */
  runner: string;
  retentionDays: number;
}

/** How often the file is written again, because a subject was erased while it was written. */
const MAX_REWRITES = 5;
const LOOK_AGAIN_MS = 100;

/** Writes the rows that a query selects to a file, one range of keys after the other. */
export function createExtract(options: ExtractJobOptions): JobHandler {
  const pathOf = ({ id }: Job) => join(options.folder, `${id}.${options.runner}.part`);
  return {
    async run(run) {
      await mkdir(options.folder, { recursive: true, mode: 0o700 });
      return runExtract(run, pathOf(run.job), options).catch((error: unknown) => {
        // The query was checked when the extract was requested, but an attribute may have been removed since then.
        throw error instanceof QueryError ? new JobFailure(error.message, { cause: error }) : asDiskFull(error);
      });
    },
    discard: ({ id }) => removeParts(join(options.folder, id)),
    leave: (job) => removeParts(pathOf(job)),
  };
}

async function runExtract(run: JobRun, path: string, options: ExtractJobOptions): Promise<Completion> {
  // Every extract is scheduled with these parameters, and only this module saves its checkpoint.
  const job = run.job as Job<ExtractParameters, ExtractCheckpoint>;
  const { format } = job.parameters;
  const plan = await planExtract(options.database, job);
  // An earlier run may have stored its file without completing the job, because a subject was erased.
  await options.files.remove(jobFileKey(job));
  const { bytes, rows, erasedUntil } = await writeWithoutErased(run, path, job, plan, options);
  await options.files.keep(jobFileKey(job), path);
  const expiresAt = new Date(Date.now() + options.retentionDays * DAY_MS);
  const result = { records: rows, format, ...(await countWithheld(job, plan, rows, options)) };
  return { result, file: { bytes, expiresAt, erasedUntil }, callsBack: hasAddress(job) };
}

/** How many were left out, because they have not agreed to the purposes of the extract. */
async function countWithheld(
  { organizationId }: Job,
  { everybody }: ExtractPlan,
  written: number,
  { questions }: ExtractJobOptions,
): Promise<{ withheld?: number }> {
  if (!everybody) return {};
  const all = await questions.count(organizationId, everybody);
  // Users may have come or gone while the file was written.
  return { withheld: Math.max(0, all - written) };
}

/** Writes the file. It contains no subject that was erased before the file was complete. */
async function writeWithoutErased(
  run: JobRun,
  path: string,
  job: Job<ExtractParameters, ExtractCheckpoint>,
  plan: ExtractPlan,
  options: ExtractJobOptions,
): Promise<{ bytes: number; rows: number; erasedUntil: number }> {
  const { database } = options;
  let erasedUntil = await lastErasure(database, job.organizationId);
  // The file starts again when a subject was erased since it was begun.
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

/** Writes lines of CSV or JSON. The engine writes those of a range to a file, whose bytes are copied to the end of the extract. */
async function writeLines(
  run: JobRun,
  path: string,
  job: Job<ExtractParameters, ExtractCheckpoint>,
  plan: ExtractPlan,
  { questions, disk }: ExtractJobOptions,
): Promise<{ bytes: number; rows: number }> {
  const { file, checkpoint } = await openFile(path, job);
  const { columns, formulas } = plan;
  try {
    if (columns.length > 0 && file.bytes === 0) {
      await file.writeHeader(columns.map(({ header }) => (formulas ? header : withoutFormula(header))));
    }
    const { rows } = await writeRanges(run, path, plan, checkpoint, questions, {
      bytes: () => file.bytes,
      write: (range, part) => writeRange(questions, job.organizationId, plan, range, part),
      async take(part) {
        for await (const piece of piecesOf(part, plan)) {
          run.signal.throwIfAborted();
          await disk.require();
          await file.write(piece);
        }
        await file.sync();
        return { bytes: file.bytes };
      },
      free: (part) => rm(part, { force: true }),
    });
    await file.sync();
    return { bytes: file.bytes, rows };
  } finally {
    await file.close();
  }
}

interface OpenedFile {
  file: ExtractFile;
  checkpoint: ExtractCheckpoint;
}

/** Opens the file as the checkpoint left it, or a new one when this machine does not have it. */
async function openFile(path: string, { checkpoint }: Job<ExtractParameters, ExtractCheckpoint>): Promise<OpenedFile> {
  const { bytes = 0, erasedUntil } = checkpoint;
  const file = await ExtractFile.open(path, bytes);
  if (file) return { file, checkpoint };
  const fresh = await ExtractFile.open(path, 0);
  if (!fresh) throw new Error(`The file ${path} cannot be created.`);
  return { file: fresh, checkpoint: erasedUntil === undefined ? {} : { erasedUntil } };
}

/** Writes a range of rows to a file: as CSV when the plan has columns, else as lines of JSON. */
function writeRange(
  questions: Questions,
  organizationId: string,
  { selection, segments, columns, formulas }: ExtractPlan,
  range: KeyRange,
  path: string,
): Promise<number> {
  return columns.length > 0
    ? questions.writeCsvLines(organizationId, selection, range, segments, columns, path, { formulas })
    : questions.writeJsonLines(organizationId, selection, range, segments, path);
}

/** What the file of a range has. Hidden attributes are no columns, so only lines of JSON can have them. */
function piecesOf(path: string, { columns, hidden }: ExtractPlan): AsyncIterable<Uint8Array> {
  const pieces = readPieces(path);
  const isHiding = columns.length === 0 && hidden.own.length + hidden.account.length > 0;
  return isHiding ? hideAttributes(pieces, hidden) : pieces;
}
