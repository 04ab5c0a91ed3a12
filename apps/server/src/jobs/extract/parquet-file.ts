import { open, stat } from "node:fs/promises";
import type { DiskSpace } from "../../runtime/disk/disk-space.js";
import type { KeyRange } from "../../storage/questions/extracting.js";
import type { Questions } from "../../storage/questions/questions.js";
import type { JobRun } from "../runner/job-handler.js";
import type { ExtractCheckpoint } from "./extract-checkpoint.js";
import type { ExtractPlan } from "./extract-plan.js";
import { partPath } from "./part-files.js";
import { writeRanges } from "./write-ranges.js";

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
  const write = (range: KeyRange | undefined, part: string) =>
    questions.writeParquet(organizationId, selection, range, segments, columns, part);
  const erased = saved.erasedUntil === undefined ? {} : { erasedUntil: saved.erasedUntil };
  const sizes = await sizesOf(partPaths(path, saved.parts ?? 0));
  const checkpoint: ExtractCheckpoint = sizes ? saved : erased;
  let parts = checkpoint.parts ?? 0;
  let bytes = sum(sizes ?? []);
  const { rows, save } = await writeRanges(run, path, plan, checkpoint, questions, {
    format: "parquet",
    bytes: () => bytes,
    write,
    async take(part) {
      run.signal.throwIfAborted();
      await disk.require();
      bytes += await sync(part);
      parts += 1;
      return { parts };
    },
  });
  if (parts === 0) {
    await write(undefined, partPath(path, 0));
    parts = 1;
  }
  run.signal.throwIfAborted();
  await questions.joinParquet(partPaths(path, parts), path);
  bytes = await sync(path);
  // The parts stay until the job ends. After an interruption from here on, only the joining is repeated.
  await save();
  return { bytes, rows };
}

function partPaths(path: string, count: number): string[] {
  return Array.from({ length: count }, (_, part) => partPath(path, part));
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
