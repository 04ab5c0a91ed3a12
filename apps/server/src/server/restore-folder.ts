import { createWriteStream } from "node:fs";
import { mkdir, readdir, rm } from "node:fs/promises";
import { dirname, join, normalize } from "node:path";
import { pipeline } from "node:stream/promises";
import { BackupError } from "../runtime/backup-file/backup-format.js";
import { openDataDirectory } from "../runtime/disk/data-directory.js";
import {
  hasUnfinishedRestore,
  markUnfinishedRestore,
  unmarkUnfinishedRestore,
} from "../runtime/disk/unfinished-restore.js";
import { writeWholeFile } from "../runtime/disk/write-whole-file.js";
import { lockServer } from "../storage/postgres/embedded/server-lock.js";

/** What a server makes in its data directory, except locks, which are never removed, and tokens of this machine. */
const DATA = ["postgres", "postgres.new", "postgres.password", "questions", "files", "secret.key"];

// PostgreSQL stops within this time after a restore that was killed.
const STOP_MS = 60_000;

/** The data directory into which a backup is restored. Until `finish`, no server starts on it. */
export interface RestoreFolder {
  writeKey(secretKey: string): Promise<void>;
  writeFile(path: string, content: AsyncIterable<Buffer>): Promise<void>;
  /** Says that everything is there. */
  finish(): Promise<void>;
  /** Removes everything that was restored. */
  discard(): Promise<void>;
  release(): void;
}

/** Takes a data directory without data. Leftovers of a restore that was killed are removed first. */
export async function openRestoreFolder(path: string): Promise<RestoreFolder> {
  const { release } = await openDataDirectory(path);
  const discard = async () => {
    (await lockServer(join(path, "postgres"), STOP_MS)).release();
    for (const name of DATA) await rm(join(path, name), { recursive: true, force: true, maxRetries: 5 });
    await unmarkUnfinishedRestore(path);
  };
  try {
    if (await hasUnfinishedRestore(path)) await discard();
    const present = (await readdir(path)).filter((name) => DATA.includes(name));
    if (present.length > 0) {
      throw new BackupError(
        `The data directory ${path} is not empty (it has ${present.join(", ")}). A backup is restored into an empty one: name another with --data-dir or DATA_DIR.`,
      );
    }
    await markUnfinishedRestore(path);
  } catch (error) {
    release();
    throw error;
  }
  return {
    writeKey: (secretKey) => writeWholeFile(join(path, "secret.key"), secretKey),
    async writeFile(name, content) {
      // A damaged or made-up backup must not write anywhere else.
      if (normalize(name) !== name || !/^(kept|imports)\//.test(name)) {
        throw new BackupError(`The backup has a file with the path ${name}, which files of jobs do not have.`);
      }
      const target = join(path, "files", name);
      await mkdir(dirname(target), { recursive: true, mode: 0o700 });
      await pipeline(content, createWriteStream(target, { mode: 0o600, flush: true }));
    },
    finish: () => unmarkUnfinishedRestore(path),
    discard,
    release,
  };
}
