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

async function openFile(bytes = 0): Promise<ExtractFile> {
  const file = await ExtractFile.open(path, bytes);
  if (!file) throw new Error("The file does not hold what the checkpoint says.");
  return file;
}

test("the header is quoted", async () => {
  const file = await openFile();
  await file.writeHeader(["id", 'a "name"']);
  await file.write(Buffer.from("1,2\r\n"));
  expect(file.bytes).toBe((await readFile(path)).length);
  await file.close();
  expect(await readFile(path, "utf8")).toBe('"id","a ""name"""\r\n1,2\r\n');
});

test("a file goes on from its checkpoint, without what was written after it", async () => {
  const file = await openFile();
  await file.write(Buffer.from('{"id":1}\n'));
  const { bytes } = file;
  await file.write(Buffer.from('{"id":2}\n{"id'));
  await file.close();

  const again = await openFile(bytes);
  await again.write(Buffer.from('{"id":3}\n'));
  await again.close();
  expect(await readFile(path, "utf8")).toBe('{"id":1}\n{"id":3}\n');
});

test("a file that is missing, or shorter than its checkpoint, cannot go on", async () => {
  expect(await ExtractFile.open(path, 10)).toBeUndefined();
  const file = await openFile();
  await file.write(Buffer.from("{}\n"));
  await file.close();
  expect(await ExtractFile.open(path, 10)).toBeUndefined();
});
