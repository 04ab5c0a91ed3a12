import type { KeyRange } from "../../storage/questions/extracting.js";
import type { Questions } from "../../storage/questions/questions.js";
import type { JobRun } from "../runner/job-handler.js";
import type { ExtractCheckpoint } from "./extract-checkpoint.js";
import type { ExtractPlan } from "./extract-plan.js";
import { countIfQuick, extractProgress } from "./extract-progress.js";
import { partPath } from "./part-files.js";
import { type RangeWork, rangesAhead } from "./ranges-ahead.js";

/** How the ranges of rows become the file of an extract. */
export interface RangeWriting {
  /** For Parquet, an engine that cannot join files has one range with all rows. */
  format?: "parquet";
  /** How many bytes the file has. */
  bytes(): number;
  /** Lets the engine write a range to the file `part`. Returns the number of rows. */
  write(range: KeyRange, part: string): Promise<number>;
  /** Makes the rows of `part` durable as rows of the extract. Returns what the checkpoint says of the file from now on. */
  take(part: string): Promise<Pick<ExtractCheckpoint, "bytes" | "parts">>;
  /** Called for each part after `take`, and for those that are not taken because the job ends. */
  free?(part: string): Promise<void>;
}

export interface WrittenRanges {
  rows: number;
  /** Saves the progress once more. */
  save(): Promise<void>;
}

/**
 * Writes the rows of the plan that come after the checkpoint, one range of keys after the other, and saves a checkpoint after
 * each. The engine writes each range to a file of its own: a value for each row would cost more in JavaScript than all the rest.
 */
export async function writeRanges(
  run: JobRun,
  path: string,
  { selection }: ExtractPlan,
  saved: ExtractCheckpoint,
  questions: Questions,
  { format, bytes, write, take, free }: RangeWriting,
): Promise<WrittenRanges> {
  const { organizationId } = run.job;
  const { target } = selection;
  const until = saved.until ?? (await questions.lastKey(organizationId, target));
  const total = await countIfQuick(questions, organizationId, selection);
  let checkpoint = saved;
  let rows = saved.rows ?? 0;
  const save = () => run.save(extractProgress({ rows, bytes: bytes() }, total), checkpoint);
  await save();

  let begun = saved.parts ?? 0;
  const writing: RangeWork<{ rows: number; part: string }> = {
    nextRange: async (after) => until && questions.nextRange(organizationId, target, after, until, format),
    async work(range) {
      const part = partPath(path, begun++);
      return { rows: await write(range, part), part };
    },
    free: async ({ part }) => free?.(part),
  };
  for await (const { range, work } of rangesAhead(writing, saved.after)) {
    const taken = await take(work.part);
    rows += work.rows;
    checkpoint = { ...checkpoint, ...(until && { until }), after: range.until, rows, ...taken };
    await save();
  }
  return { rows, save };
}
