import { open, stat } from "node:fs/promises";
import type { DiskSpace } from "../../runtime/disk-space.js";
import type { Questions } from "../../storage/questions/questions.js";
import type { JobRun } from "../runner/job-handler.js";
import type { ExtractCheckpoint } from "./extract-checkpoint.js";
import type { ExtractPlan } from "./extract-plan.js";
import { countIfQuick, extractProgress } from "./extract-progress.js";
import { partPath } from "./part-files.js";
import { type RangeWork, rangesAhead } from "./ranges-ahead.js";

export interface ParquetOptions {
  questions: Questions;
  disk: Pick<DiskSpace, "require">;
}

/**
 * Writes a Parquet file. Nothing can be appended to such a file, so each range of rows becomes a file, and the engine joins
 * them at the end. An extract that goes on after an interruption has the files of the ranges before it.
 */
export async function writeParquetFile(
  run: JobRun,
  path: string,
  saved: ExtractCheckpoint,
  plan: ExtractPlan,
  { questions, disk }: ParquetOptions,
): Promise<{ bytes: number; rows: number }> {
  const { organizationId } = run.job;
  const { selection, segments, columns } = plan;
  const { target } = selection;
  const erased = saved.erasedUntil === undefined ? {} : { erasedUntil: saved.erasedUntil };
  const sizes = await sizesOf(Array.from({ length: saved.parts ?? 0 }, (_, part) => partPath(path, part)));
  const checkpoint: ExtractCheckpoint = sizes ? { ...saved } : erased;
  const written = { rows: checkpoint.rows ?? 0, bytes: sum(sizes ?? []) };
  const until = checkpoint.until ?? (await questions.lastKey(organizationId, target));
  const total = await countIfQuick(questions, organizationId, selection);
  const save = () => run.save(extractProgress(written, total), checkpoint);
  await save();

  let parts = checkpoint.parts ?? 0;
  let begun = parts;
  const writing: RangeWork<{ rows: number; path: string }> = {
    nextRange: async (after) => until && questions.nextRange(organizationId, target, after, until, "parquet"),
    async work(range) {
      const part = partPath(path, begun++);
      return {
        rows: await questions.writeParquet(organizationId, selection, range, segments, columns, part),
        path: part,
      };
    },
  };
  for await (const { range, work } of rangesAhead(writing, checkpoint.after)) {
    run.signal.throwIfAborted();
    await disk.require();
    written.rows += work.rows;
    written.bytes += await sync(work.path);
    parts += 1;
    Object.assign(checkpoint, { until, after: range.until, rows: written.rows, parts });
    await save();
  }
  if (parts === 0) {
    await questions.writeParquet(organizationId, selection, undefined, segments, columns, partPath(path, 0));
    parts = 1;
  }
  run.signal.throwIfAborted();
  await questions.joinParquet(
    Array.from({ length: parts }, (_, part) => partPath(path, part)),
    path,
  );
  written.bytes = await sync(path);
  // The parts stay until the job ends. After an interruption from here on, only the joining is repeated.
  await save();
  return written;
}

async function sizesOf(paths: readonly string[]): Promise<number[] | undefined> {
  try {
    return await Promise.all(paths.map(async (path) => (await stat(path)).size));
  } catch (error) {
    // Another machine began the extract.
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/** Makes a file durable. Returns its size. */
async function sync(path: string): Promise<number> {
  const file = await open(path, "r+");
  try {
    await file.datasync();
    return (await file.stat()).size;
  } finally {
    await file.close();
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
