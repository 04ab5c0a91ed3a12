import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { JobFailure } from "../runner/job-failure.js";
import { readChunks } from "./import-chunks.js";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "muster-test-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const LIMITS = { records: 3, bytes: 100, recordBytes: 60 };
const { signal } = new AbortController();

async function chunksOf(content: string | Buffer, skip = 0) {
  const path = join(folder, "file");
  await writeFile(path, content);
  const chunks = [];
  for await (const chunk of readChunks(path, skip, LIMITS, signal)) {
    const texts = chunk.records.map(({ bytes }) => bytes?.toString("utf8"));
    chunks.push({ start: chunk.start, texts, bytesRead: chunk.bytesRead });
  }
  return chunks;
}

const lines = (...texts: string[]) => texts.map((text) => `${text}\n`).join("");

test("records come in chunks of the given size, and none is lost at the end", async () => {
  const chunks = await chunksOf(lines("1", "2", "3", "4", "5"));
  expect(chunks).toEqual([
    { start: 0, texts: ["1", "2", "3"], bytesRead: 10 },
    { start: 3, texts: ["4", "5"], bytesRead: 10 },
  ]);
});

test("large records make smaller chunks, and records that are too large come without their content", async () => {
  const large = "x".repeat(59);
  const chunks = await chunksOf(lines(large, large, "x".repeat(61), "4"));
  expect(chunks.map(({ texts }) => texts)).toEqual([
    [large, large],
    [undefined, "4"],
  ]);
});

test("records that were read before are skipped, and the others keep their places", async () => {
  const chunks = await chunksOf(lines("1", "2", "3", "4", "5"), 3);
  expect(chunks).toMatchObject([{ start: 3, texts: ["4", "5"] }]);
  expect(await chunksOf(lines("1", "2"), 2)).toEqual([]);
});

test("gzip is decompressed, also with several members, and the compressed size counts as read", async () => {
  const content = Buffer.concat([gzipSync(lines("1", "2")), gzipSync(lines("3", "4"))]);
  const chunks = await chunksOf(content);
  expect(chunks.map(({ texts }) => texts)).toEqual([["1", "2", "3"], ["4"]]);
  expect(chunks.at(-1)?.bytesRead).toBe(content.length);
});

test("an empty file has no chunks", async () => {
  expect(await chunksOf("")).toEqual([]);
});

test("a broken file fails for good, with the reason", async () => {
  await expect(chunksOf(gzipSync(lines("1", "2")).subarray(0, -5))).rejects.toThrow(JobFailure);
  await expect(chunksOf('[{"a":1}')).rejects.toThrow("The file ends inside its JSON array: it is not complete.");
});

test("a file that is gone is an error of the reading alone", async () => {
  await expect(readChunks(join(folder, "gone"), 0, LIMITS, undefined).next()).rejects.toThrow("ENOENT");
  // A stream that nobody listens to would report its error now, and the test run would fail.
  await setTimeout(50);
});
