import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { saveBackup } from "./save-backup.js";

test("a connection that ends early is reported, and leaves no file", async () => {
  const folder = await mkdtemp(join(tmpdir(), "muster-save-backup-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const content = async function* () {
    yield Buffer.from("muster backup 1\n");
    throw new TypeError("terminated");
  };
  await expect(saveBackup(content(), join(folder, "x.backup"), () => {})).rejects.toThrow(
    "closed before the backup was complete",
  );
  expect(await readdir(folder)).toEqual([]);
});
