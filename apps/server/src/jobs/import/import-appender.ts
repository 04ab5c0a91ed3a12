import { setTimeout as sleep } from "node:timers/promises";
import { Refusal } from "@muster/protocol";
import { type LanePositions, parsePosition } from "../../domain/entries/lanes.js";
import type { Job, JobProgress } from "../../domain/jobs/job.js";
import type { CompressedPart } from "../../pipeline/accept/lane-compressor.js";
import type { Pipeline } from "../../pipeline/pipeline.js";
import type { Database } from "../../storage/postgres/database.js";
import { countRejectedLines, saveRejectedLines } from "../../storage/postgres/jobs/job-rejections.js";
import type { JobRun } from "../runner/job-handler.js";
import type { ImportPace } from "./import-pace.js";
import type { CompressedChunk } from "./read-compressed.js";

/** How far an import has come. */
export interface ImportCheckpoint {
  /** Hash of the file: an import goes on only with the file it began with. */
  digest?: string;
  /** How many records are in the log. */
  records?: number;
  /** The position of the last record. */
  position?: string;
}

export interface ImportAppenderOptions {
  run: JobRun;
  job: Job<unknown, ImportCheckpoint>;
  file: { bytes: number; digest: string };
  database: Database;
  pipeline: Pipeline;
  pace: ImportPace;
}

// At most this many chunks in the log are not searchable yet: enough to keep every stage busy, and too few to use up
// the backlog, which imports share with the gateway.
const MAX_UNSEARCHABLE_CHUNKS = 8;
const FULL_LOG_WAIT_MS = 500;
const COUNT_REJECTED_EVERY_MS = 2_000;

/**
 * Appends the chunks of an import to the log and saves the progress. It waits while too many chunks are not searchable
 * yet.
 */
export class ImportAppender {
  readonly #options: ImportAppenderOptions;
  readonly #progress: JobProgress;
  readonly #waiting: LanePositions[] = [];
  #records: number;
  #position: string | undefined;
  #countedAt = performance.now();

  constructor(options: ImportAppenderOptions) {
    const { job, file } = options;
    this.#options = options;
    this.#progress = { ...job.progress, totalBytes: file.bytes };
    this.#records = job.checkpoint.records ?? 0;
    this.#position = job.checkpoint.position;
  }

  /** How many records were appended before the job was interrupted. */
  get appended(): number {
    return this.#records;
  }

  async append({ start, records, bytesRead, rejected, parts }: CompressedChunk): Promise<void> {
    const { job, database } = this.#options;
    await saveRejectedLines(database, job.organizationId, job.id, rejected);
    if (parts.length > 0) await this.#log(start, parts);
    this.#progress.processed += records;
    this.#progress.processedBytes = bytesRead;
    if (performance.now() - this.#countedAt > COUNT_REJECTED_EVERY_MS) await this.#countRejected();
    this.#records = start + records;
    await this.save();
  }

  /** Waits until everything is searchable. */
  async finish(): Promise<JobProgress> {
    if (this.#position !== undefined) await this.#untilSearchable(parsePosition(this.#position) ?? {});
    await this.#countRejected();
    this.#progress.total = this.#progress.processed;
    this.#progress.processedBytes = this.#options.file.bytes;
    await this.save();
    return this.#progress;
  }

  async save(): Promise<void> {
    const { run, file } = this.#options;
    const checkpoint: ImportCheckpoint = { digest: file.digest, records: this.#records };
    if (this.#position !== undefined) checkpoint.position = this.#position;
    await run.save(this.#progress, checkpoint);
  }

  async #log(start: number, parts: readonly CompressedPart[]): Promise<void> {
    const { job, pipeline, pace, run } = this.#options;
    // With the key, a chunk that was appended just before a crash is not appended again after it.
    const key = `import ${job.id} ${start}`;
    this.#position = await whenThereIsRoom(run.signal, () =>
      pipeline.intake.acceptCompressed(job.organizationId, job.connectorId, parts, key),
    );
    const position = parsePosition(this.#position) ?? {};
    if (pace.isLimited) {
      await this.#untilSearchable(position);
      await pace.rest(run.signal);
      return;
    }
    this.#waiting.push(position);
    if (this.#waiting.length > MAX_UNSEARCHABLE_CHUNKS) await this.#untilSearchable(this.#waiting.shift() ?? {});
  }

  async #countRejected(): Promise<void> {
    const { job, database } = this.#options;
    this.#progress.rejected = await countRejectedLines(database, job.organizationId, job.id);
    this.#countedAt = performance.now();
  }

  /** Waits without a limit, because other entries may come first. */
  async #untilSearchable(position: LanePositions): Promise<void> {
    const { job, pipeline, run } = this.#options;
    for (;;) {
      try {
        return await pipeline.waitFor(job.organizationId, position, run.signal);
      } catch (error) {
        if (!(error instanceof Refusal) || error.code !== "wait_timeout") throw error;
      }
    }
  }
}

/** Repeats the call while the log refuses entries, because the disk is full or the backlog is too long. */
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
