import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, statfsSync } from "node:fs";
import { freemem } from "node:os";
import { join } from "node:path";

const SHARED_MEMORY = "/dev/shm";
const PREFIX = "muster-tests-";
const GIGABYTE = 1024 ** 3;

/**
 * Makes a folder in memory the temporary folder of this test run, on machines with plenty of memory. Tests create and remove
 * thousands of small files: a copy of a PostgreSQL cluster takes a fifth of the processor time that it takes on ext4, and
 * `create database` a tenth.
 */
export function keepTemporaryFilesInMemory(): void {
  if (!hasRoom()) return;
  removeOldFolders();
  const folder = join(SHARED_MEMORY, PREFIX + process.pid);
  mkdirSync(folder, { recursive: true });
  // As the folder that it replaces: programs that tests start as another user write to it, too.
  chmodSync(folder, 0o1777);
  process.env.TMPDIR = folder;
  process.on("exit", () => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));
}

/** Whether the largest test files, which install all packages, and all others have room. */
function hasRoom(): boolean {
  if (!existsSync(SHARED_MEMORY)) return false;
  const { bavail, bsize } = statfsSync(SHARED_MEMORY);
  return bavail * bsize > 6 * GIGABYTE && freemem() > 8 * GIGABYTE;
}

/** A run that was killed has left its folder, and nobody else would free the memory. */
function removeOldFolders(): void {
  for (const name of readdirSync(SHARED_MEMORY)) {
    if (!name.startsWith(PREFIX) || isRunning(Number(name.slice(PREFIX.length)))) continue;
    try {
      rmSync(join(SHARED_MEMORY, name), { recursive: true, force: true });
    } catch (error) {
      // A program that the killed run had started may still write there. The next run removes the folder.
      console.warn(`The temporary folder of an earlier test run stays: ${String(error)}`);
    }
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
