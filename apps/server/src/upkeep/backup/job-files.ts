import { createReadStream } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join, relative } from "node:path";
import type { Readable } from "node:stream";

/** A file of a job, as long as it was when it was listed. */
export interface JobFile {
  /** Its path in the folder of files, with `/` between names. */
  path: string;
  bytes: number;
  open(): Readable;
}

/** Finished files and files to import. Extracts that are still being written are written again after a restore. */
const COPIED_FOLDERS = ["kept", "imports"];

/** The files of jobs that must be in a backup. */
export async function listJobFiles(folder: string): Promise<JobFile[]> {
  const files: JobFile[] = [];
  for (const name of COPIED_FOLDERS) {
    const entries = await readdir(join(folder, name), { recursive: true, withFileTypes: true }).catch(ifMissing([]));
    for (const entry of entries.filter((one) => one.isFile())) {
      const path = join(entry.parentPath, entry.name);
      const bytes = (await stat(path).catch(ifMissing(undefined)))?.size;
      if (bytes === undefined) continue;
      files.push({
        path: relative(folder, path),
        bytes,
        open: () => createReadStream(path, { end: Math.max(0, bytes - 1) }),
      });
    }
  }
  return files.sort((one, other) => (one.path < other.path ? -1 : 1));
}

/** Files are removed at any time, and a server that never had a job has no folder for them. */
export function ifMissing<Value>(value: Value): (error: NodeJS.ErrnoException) => Value {
  return (error) => {
    if (error.code === "ENOENT") return value;
    throw error;
  };
}
