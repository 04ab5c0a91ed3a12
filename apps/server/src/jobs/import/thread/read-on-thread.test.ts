// @module-tag long
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { pino } from "pino";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createMetrics } from "../../../runtime/measures/metrics.js";
import { Threads } from "../../../runtime/threads/threads.js";
import { decompressEntries } from "../../../storage/ingest-log/compressed-entries.js";
import { JobFailure } from "../../runner/job-failure.js";
import { type CompressedChunk, readCompressed } from "../read-compressed.js";
import type { ImportReading } from "../read-entries.js";
import { readOnThread } from "./read-on-thread.js";

// Threads run built code: `npm test` builds before it runs the tests. Vitest's own options would make the thread load the
// sources of other packages.
const THREAD = {
  threads: new Threads({ logLevel: "silent", logger: pino({ level: "silent" }), metrics: createMetrics() }),
  start: new URL("../../../../dist/jobs/import/thread/import-thread.js", import.meta.url),
  execArgv: [],
};
const never = new AbortController().signal;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "import-thread-"));
});
afterAll(() => rm(folder, { recursive: true }));

async function readingOf(content: string | Buffer, format: Partial<ImportReading["format"]> = {}) {
  const path = join(folder, "file");
  await writeFile(path, content);
  const rules = {
    connectorId: "000000000000010000000000",
    jobId: "000000000000020000000000",
    at: 1,
    writtenAt: 1,
    overwrite: true,
    notify: true,
    defaults: { source: "file" },
    announces: undefined,
  };
  return {
    path,
    skip: 0,
    limits: { records: 100, bytes: 64 * 1024, recordBytes: 10_000 },
    format: { object: "users", ...format },
    rules: { object: "users", ...rules },
  } satisfies ImportReading;
}

async function collect(chunks: AsyncGenerator<CompressedChunk>): Promise<unknown[]> {
  const all: unknown[] = [];
  for await (const { parts, ...chunk } of chunks) all.push({ ...chunk, entries: parts.flatMap(decompressEntries) });
  return all;
}

const lines = Array.from({ length: 450 }, (_, index) => JSON.stringify({ userId: `user-${index}`, size: index }));
const broken = [...lines.slice(0, 120), "no JSON", "{}", JSON.stringify({ text: "x".repeat(20_000) }), ...lines];

test.each([
  ["lines", broken.join("\n"), undefined],
  ["a list", `[${lines.join(",")}]`, undefined],
  ["compressed lines", gzipSync(broken.join("\n")), undefined],
  [
    "CSV",
    `userId;size\n${lines.map((_, index) => `user-${index};${index}`).join("\n")}`,
    { delimiter: ";", header: true },
  ],
])("a file of %s gives the same chunks on a thread and without one", async (_name, content, csv) => {
  const reading = await readingOf(content, { csv });
  const expected = await collect(readCompressed(reading, never));
  expect(expected.length).toBeGreaterThan(4);
  expect(await collect(readOnThread(reading, { ...THREAD, signal: never }))).toEqual(expected);
  const rest = { ...reading, skip: 200 };
  expect(await collect(readOnThread(rest, { ...THREAD, signal: never }))).toEqual(
    await collect(readCompressed(rest, never)),
  );
});

test("a file that cannot be read to its end fails the job, after the chunks before", async () => {
  const reading = await readingOf(`[${lines.join(",")}`);
  const chunks = readOnThread(reading, { ...THREAD, signal: never });
  for (let chunk = 0; chunk < 4; chunk++) expect((await chunks.next()).done).toBe(false);
  await expect(chunks.next()).rejects.toThrow(
    new JobFailure("The file ends inside its JSON array: it is not complete."),
  );
});

test("an error that another attempt may mend is no failure of the job", async () => {
  const reading = { ...(await readingOf("")), path: join(folder, "missing") };
  const error = await readOnThread(reading, { ...THREAD, signal: never })
    .next()
    .catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(Error);
  expect(error).not.toBeInstanceOf(JobFailure);
  expect((error as Error).stack).toContain("ENOENT");
});

test("a job that is canceled ends the thread", async () => {
  const reading = await readingOf(lines.join("\n"));
  const controller = new AbortController();
  const chunks = readOnThread(reading, { ...THREAD, signal: controller.signal });
  await chunks.next();
  controller.abort();
  await expect(collect(chunks)).rejects.toThrow("aborted");
});
