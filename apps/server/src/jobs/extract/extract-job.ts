import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { SubjectType } from "@muster/protocol";
import { parse, QueryError } from "@muster/query";
import { reportKey } from "../../domain/attributes/standard-fields.js";
import { type ExtractColumn, extractColumns, type KnownColumns } from "../../domain/bulk/extract-columns.js";
import { type Job, type JobProgress, targetOf } from "../../domain/jobs/job.js";
import type { FileStore } from "../../storage/files/file-store.js";
import type { Database } from "../../storage/postgres/database.js";
import { hiddenKeys } from "../../storage/postgres/definitions/attribute-definitions.js";
import { listAttributes } from "../../storage/postgres/definitions/attribute-rows.js";
import { loadAttributeTypes } from "../../storage/postgres/definitions/attribute-types.js";
import type { Completion } from "../../storage/postgres/jobs/job-leases.js";
import { listSegments } from "../../storage/postgres/segments/segments.js";
import type { Selection } from "../../storage/questions/asking.js";
import type { ExtractSegments, KeyRange, RowKey } from "../../storage/questions/extracting.js";
import { QuestionTimeout } from "../../storage/questions/question-timeout.js";
import type { Questions } from "../../storage/questions/questions.js";
import { extractFileKey } from "../files/job-files.js";
import { JobFailure } from "../runner/job-failure.js";
import type { JobHandler, JobRun } from "../runner/job-handler.js";
import { ExtractFile } from "./extract-file.js";
import type { ExtractParameters } from "./extract-parameters.js";
import { type HiddenAttributes, hideAttributes } from "./hide-attributes.js";

export interface ExtractJobOptions {
  database: Database;
  questions: Questions;
  files: FileStore;
  /** Where a file is while the extract writes it. */
  folder: string;
  retentionDays: number;
}

interface ExtractCheckpoint {
  /** Fixed when the extract begins: rows that are created later are not part of it. */
  until?: RowKey;
  /** The rows up to here are in the file. */
  after?: RowKey;
  bytes?: number;
  rows?: number;
}

const DAY_MS = 86_400_000;

/** Writes the rows that a query selects to a file, one range of keys after the other. */
export function createExtract(options: ExtractJobOptions): JobHandler {
  const pathOf = ({ id }: Job) => join(options.folder, `${id}.part`);
  return {
    async run(run) {
      await mkdir(options.folder, { recursive: true, mode: 0o700 });
      return runExtract(run, pathOf(run.job), options).catch((error: unknown) => {
        // The query was checked when the extract was requested, but an attribute may have been removed since then.
        throw error instanceof QueryError ? new JobFailure(error.message, { cause: error }) : error;
      });
    },
    discard: (job) => rm(pathOf(job), { force: true }),
  };
}

async function runExtract(run: JobRun, path: string, options: ExtractJobOptions): Promise<Completion> {
  // Every extract is scheduled with these parameters, and only this module saves its checkpoint.
  const job = run.job as Job<ExtractParameters, ExtractCheckpoint>;
  const { format, url } = job.parameters;
  const plan = await planExtract(job, options);
  const opened = await openFile(path, job);
  try {
    await writeRanges(run, opened, plan, options);
    await opened.file.sync();
  } finally {
    await opened.file.close();
  }
  const { bytes, rows } = opened.file;
  await options.files.keep(extractFileKey(job), path);
  const expiresAt = new Date(Date.now() + options.retentionDays * DAY_MS);
  return { result: { records: rows, format }, file: { bytes, expiresAt }, callsBack: url !== null };
}

interface ExtractPlan {
  selection: Selection;
  segments: ExtractSegments;
  /** Empty unless the file is CSV. */
  columns: ExtractColumn[];
  hidden: HiddenAttributes;
}

async function planExtract(
  job: Job<ExtractParameters, ExtractCheckpoint>,
  { database }: ExtractJobOptions,
): Promise<ExtractPlan> {
  const { organizationId: org, parameters } = job;
  const target = targetOf(job.object);
  const attributeTypes = await loadColumns(database, org);
  const segmentsOf = async (subjectType: SubjectType) =>
    (await listSegments(database, org, subjectType)).map(({ id }) => id);
  const hidden: HiddenAttributes = {
    own: target === "event" ? [] : await hiddenKeys(database, org, target),
    account: target === "user" ? await hiddenKeys(database, org, "account") : [],
  };
  return {
    selection: {
      target,
      query: parse(parameters.query, { target }),
      attributeTypes,
      // The whole file shows one moment, also when the job is interrupted and goes on later.
      now: job.startedAt ?? job.createdAt,
    },
    segments: {
      own: target === "event" ? [] : await segmentsOf(target),
      account: target === "user" ? await segmentsOf("account") : [],
    },
    columns: parameters.format === "csv" ? extractColumns(target, parameters.fields ?? undefined, attributeTypes) : [],
    hidden,
  };
}

async function loadColumns(database: Database, organizationId: string): Promise<KnownColumns> {
  const attributeTypes = await loadAttributeTypes(database, organizationId);
  const keys = { user: [] as string[], account: [] as string[] };
  const hidden = { user: new Set<string>(), account: new Set<string>() };
  for (const target of ["user", "account"] as const) {
    for (const { name, visible } of await listAttributes(database, organizationId, target)) {
      if (visible) keys[target].push(reportKey(target, name));
      else hidden[target].add(reportKey(target, name));
    }
    keys[target].sort();
  }
  return {
    ...attributeTypes,
    visibleKeys: (target) => keys[target],
    isHidden: (target, key) => hidden[target].has(key),
  };
}

interface OpenedFile {
  file: ExtractFile;
  checkpoint: ExtractCheckpoint;
}

/** Opens the file as the checkpoint left it, or a new one when this machine does not have it. */
async function openFile(path: string, job: Job<ExtractParameters, ExtractCheckpoint>): Promise<OpenedFile> {
  const { checkpoint, parameters } = job;
  const { bytes = 0, rows = 0 } = checkpoint;
  const file = await ExtractFile.open(path, parameters.format, { bytes, rows });
  if (file) return { file, checkpoint };
  const fresh = await ExtractFile.open(path, parameters.format, { bytes: 0, rows: 0 });
  if (!fresh) throw new Error(`The file ${path} cannot be created.`);
  return { file: fresh, checkpoint: {} };
}

async function writeRanges(
  run: JobRun,
  { file, checkpoint }: OpenedFile,
  { selection, segments, columns, hidden }: ExtractPlan,
  { questions }: ExtractJobOptions,
): Promise<void> {
  const { organizationId } = run.job;
  const { target } = selection;
  if (columns.length > 0 && file.bytes === 0) await file.writeHeader(columns.map(({ header }) => header));
  const until = checkpoint.until ?? (await questions.lastKey(organizationId, target));
  const total = await countIfQuick(questions, organizationId, selection);
  const progress = (): JobProgress => ({
    processed: file.rows,
    total: total === null ? null : Math.max(total, file.rows),
    rejected: 0,
    processedBytes: file.bytes,
    totalBytes: null,
  });
  await run.save(progress(), checkpoint);
  if (!until) return;

  const write = async (range: KeyRange): Promise<void> => {
    const printed =
      columns.length > 0
        ? questions.csvLines(organizationId, selection, range, segments, columns)
        : questions.jsonLines(organizationId, selection, range, segments);
    const isHiding = columns.length === 0 && hidden.own.length + hidden.account.length > 0;
    for await (const chunk of isHiding ? hideAttributes(printed, hidden) : printed) {
      run.signal.throwIfAborted();
      await file.write(chunk);
    }
  };

  let { after } = checkpoint;
  for (let range = await questions.nextRange(organizationId, target, after, until); range; ) {
    await write(range);
    await file.sync();
    after = range.until;
    await run.save(progress(), { until, after, bytes: file.bytes, rows: file.rows } satisfies ExtractCheckpoint);
    range = await questions.nextRange(organizationId, target, after, until);
  }
}

/** Counts the rows, to show progress only. Null when counting takes longer than a question may. */
async function countIfQuick(
  questions: Questions,
  organizationId: string,
  selection: Selection,
): Promise<number | null> {
  try {
    return await questions.count(organizationId, selection);
  } catch (error) {
    if (error instanceof QuestionTimeout) return null;
    throw error;
  }
}
