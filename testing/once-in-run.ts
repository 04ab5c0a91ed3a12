import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { inject } from "vitest";
import type {} from "./run-folder.js";

/**
 * A folder that the first test file that asks for it fills, for all test files of the run. Test files run in several
 * processes, so the others wait until a file beside the folder says how it ended.
 */
export async function onceInRun(name: string, fill: (folder: string) => Promise<void>): Promise<string> {
  const folder = join(inject("runFolder"), name);
  const result = `${folder}.result`;
  const isFirst = await mkdir(folder).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code !== "EEXIST") throw error;
      return false;
    },
  );
  if (isFirst) {
    const failure = await fill(folder).then(
      () => "",
      (error: unknown) => String(error),
    );
    await writeFile(result, failure);
  }
  const failure = await whenWritten(result);
  if (failure !== "") throw new Error(failure);
  return folder;
}

/** Waits without an end of its own: the limit of the test that waits is reached first. */
async function whenWritten(file: string): Promise<string> {
  for (;;) {
    const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "ENOENT") throw error;
    });
    if (text !== undefined) return text;
    await wait(100);
  }
}
