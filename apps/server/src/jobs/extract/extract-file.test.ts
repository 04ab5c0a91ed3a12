import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { ExtractFile } from "./extract-file.js";

let path: string;
beforeEach(async () => {
  const folder = await mkdtemp(join(tmpdir(), "muster-test-"));
  path = join(folder, "extract.part");
  return () => rm(folder, { recursive: true });
});

const NEW = { bytes: 0, rows: 0 };

async function openFile(format: "csv" | "json", from = NEW): Promise<ExtractFile> {
  const file = await ExtractFile.open(path, format, from);
  if (!file) throw new Error("The file does not hold what the checkpoint says.");
  return file;
}

test("rows of a CSV file are counted without the header and without newlines inside quotes", async () => {
  const file = await openFile("csv");
  await file.writeHeader(["id", 'a "name"']);
  await file.write(Buffer.from('1,"two\nli'));
  await file.write(Buffer.from('nes ""quoted"""\n2,plain\n'));
  expect([file.rows, file.bytes]).toEqual([2, (await readFile(path)).length]);
  await file.close();
  expect(await readFile(path, "utf8")).toBe('"id","a ""name"""\r\n1,"two\nlines ""quoted"""\n2,plain\n');
});

test("a file goes on from its checkpoint, without what was written after it", async () => {
  const file = await openFile("json");
  await file.write(Buffer.from('{"id":1}\n'));
  const checkpoint = { bytes: file.bytes, rows: file.rows };
  await file.write(Buffer.from('{"id":2}\n{"id'));
  await file.close();

  const again = await openFile("json", checkpoint);
  await again.write(Buffer.from('{"id":3}\n'));
  expect(again.rows).toBe(2);
  await again.close();
  expect(await readFile(path, "utf8")).toBe('{"id":1}\n{"id":3}\n');
});

test("a file that is missing, or shorter than its checkpoint, cannot go on", async () => {
  expect(await ExtractFile.open(path, "json", { bytes: 10, rows: 1 })).toBeUndefined();
  const file = await openFile("json");
  await file.write(Buffer.from("{}\n"));
  await file.close();
  expect(await ExtractFile.open(path, "json", { bytes: 10, rows: 1 })).toBeUndefined();
});
