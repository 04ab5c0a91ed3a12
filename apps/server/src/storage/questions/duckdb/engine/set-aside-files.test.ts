import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DAY_MS } from "@muster/protocol";
import { expect, onTestFinished, test } from "vitest";
import { removeOldSetAside, setAsidePath } from "./set-aside-files.js";

test("damaged files are removed a week after they were set aside, and no other files", async () => {
  const folder = await mkdtemp(join(tmpdir(), "muster-test-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const aside = setAsidePath(join(folder, "acme.duckdb"), new Date());
  for (const path of [aside, `${aside}.wal`, join(folder, "acme.duckdb"), join(folder, "acme.duckdb.wal")]) {
    await writeFile(path, "");
  }
  await removeOldSetAside(folder, Date.now() + 6 * DAY_MS);
  expect(await readdir(folder)).toHaveLength(4);
  await removeOldSetAside(folder, Date.now() + 8 * DAY_MS);
  expect((await readdir(folder)).sort()).toEqual(["acme.duckdb", "acme.duckdb.wal"]);
  await removeOldSetAside(join(folder, "missing"), Date.now());
});

test("a folder that cannot be read is an error, because files of erased people may be in it", async () => {
  const folder = await mkdtemp(join(tmpdir(), "muster-test-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await writeFile(join(folder, "file"), "");
  await expect(removeOldSetAside(join(folder, "file"), Date.now())).rejects.toThrow("ENOTDIR");
});
