import { rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { syncFolder } from "./sync-folder.js";
import { writeWholeFile } from "./write-whole-file.js";

/** A file in the data directory that says that a restore has begun and has not ended. */
const MARK = "restore.unfinished";

export async function markUnfinishedRestore(dataDir: string): Promise<void> {
  await writeWholeFile(join(dataDir, MARK), "A restore has begun here and has not ended.\n");
}

export async function unmarkUnfinishedRestore(dataDir: string): Promise<void> {
  const mark = join(dataDir, MARK);
  await rm(mark);
  await syncFolder(dirname(mark));
}

export async function hasUnfinishedRestore(dataDir: string): Promise<boolean> {
  return stat(join(dataDir, MARK)).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return false;
      throw error;
    },
  );
}

/** Throws when the data directory contains only a part of a backup. */
export async function refuseUnfinishedRestore(dataDir: string): Promise<void> {
  if (!(await hasUnfinishedRestore(dataDir))) return;
  throw new Error(
    `A restore into the data directory ${dataDir} was broken off. Run \`muster restore\` again: it begins from the start.`,
  );
}
