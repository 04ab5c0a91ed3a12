import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import type { KeyRange, RowKey } from "../../storage/questions/extracting.js";
import type { Questions } from "../../storage/questions/questions.js";
import type { JobRun } from "../runner/job-handler.js";
import type { ExtractCheckpoint } from "./extract-checkpoint.js";
import type { ExtractPlan } from "./extract-plan.js";
import { writeParquetFile } from "./parquet-file.js";
import { removeParts } from "./part-files.js";

let path: string;
let written: (KeyRange | undefined)[];
let checkpoints: ExtractCheckpoint[];

beforeEach(async () => {
  const folder = await mkdtemp(join(tmpdir(), "muster-parquet-"));
  path = join(folder, "job.part");
  written = [];
  checkpoints = [];
  return () => rm(folder, { recursive: true });
});

/** An engine with three ranges of ten rows, whose files hold the key that they end with. */
function engineWith(lastKey: RowKey | undefined): Questions {
  return {
    lastKey: async () => lastKey,
    count: async () => 30,
    async nextRange(_organization: string, _target: string, after: RowKey | undefined, until: RowKey) {
      const next = Number(after?.id ?? 0) + 1;
      return next > Number(until.id) ? undefined : { after, until: { id: next } };
    },
    async writeParquet(...[, , range, , , part]: Parameters<Questions["writeParquet"]>) {
      written.push(range);
      await writeFile(part, String(range?.until.id ?? "empty"));
      return range ? 10 : 0;
    },
    async joinParquet(parts: readonly string[], to: string) {
      await writeFile(to, (await Promise.all(parts.map((part) => readFile(part, "utf8")))).join(" "));
    },
    // Only these methods are called.
  } as unknown as Questions;
}

function write(saved: ExtractCheckpoint, engine = engineWith({ id: 3 })) {
  const run = {
    job: { organizationId: "org" },
    signal: new AbortController().signal,
    async save(_progress: unknown, checkpoint: ExtractCheckpoint) {
      checkpoints.push(structuredClone(checkpoint));
    },
  } as unknown as JobRun;
  const plan = { selection: { target: "user" }, segments: { own: [], account: [] }, columns: [] };
  const options = { questions: engine, disk: { require: async () => {} } };
  return writeParquetFile(run, path, saved, plan as unknown as ExtractPlan, options);
}

test("the files of all ranges are joined, and a checkpoint follows each", async () => {
  expect(await write({ erasedUntil: 7 })).toEqual({ rows: 30, bytes: 5 });
  expect(await readFile(path, "utf8")).toBe("1 2 3");
  expect(checkpoints.map(({ parts = 0, rows = 0 }) => [parts, rows])).toEqual([
    [0, 0],
    [1, 10],
    [2, 20],
    [3, 30],
    [3, 30],
  ]);
  expect(checkpoints.every(({ erasedUntil }) => erasedUntil === 7)).toBe(true);
});

test("an extract goes on with the files that it has", async () => {
  await writeFile(`${path}-0`, "1");
  await writeFile(`${path}-1`, "2");
  const saved = { until: { id: 3 }, after: { id: 2 }, rows: 20, parts: 2 };
  expect(await write(saved)).toMatchObject({ rows: 30 });
  expect(written).toEqual([{ after: { id: 2 }, until: { id: 3 } }]);
  expect(await readFile(path, "utf8")).toBe("1 2 3");
});

test("an extract begins again when a file of its checkpoint is missing", async () => {
  await writeFile(`${path}-1`, "2");
  expect(await write({ until: { id: 3 }, after: { id: 2 }, rows: 20, parts: 2 })).toMatchObject({ rows: 30 });
  expect(written).toHaveLength(3);
  expect(await readFile(path, "utf8")).toBe("1 2 3");
});

test("a range that fails keeps the checkpoint of the ranges before it", async () => {
  const engine = engineWith({ id: 5 });
  const { writeParquet } = engine;
  engine.writeParquet = async (...given) => {
    if (given[2]?.until.id === 3) throw new Error("The disk is full.");
    return writeParquet(...given);
  };
  await expect(write({}, engine)).rejects.toThrow("The disk is full.");
  expect(checkpoints.at(-1)).toMatchObject({ after: { id: 2 }, rows: 20, parts: 2 });
});

test("a file without rows is written for an empty table", async () => {
  expect(await write({}, engineWith(undefined))).toMatchObject({ rows: 0 });
  expect(written).toEqual([undefined]);
  expect(await readFile(path, "utf8")).toBe("empty");
});

test("nothing stays on the disk of an extract that has ended", async () => {
  await write({});
  await removeParts(path);
  expect(await readdir(join(path, ".."))).toEqual([]);
});
