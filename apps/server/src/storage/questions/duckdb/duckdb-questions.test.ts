import { rm } from "node:fs/promises";
import { expect, test } from "vitest";
import { makeFolder, openFolder } from "../contract/open-engine.js";

test("a folder has one engine at a time, also within one process", async () => {
  const folder = await makeFolder();
  const first = await openFolder(folder);
  await expect(openFolder(folder)).rejects.toThrow(/The question engine in .* is already open: by process \d+/);
  await first.close();
  const second = await openFolder(folder);
  await second.ping();
  await second.close();
  await rm(folder, { recursive: true });
});
