import { closeSync, ftruncateSync, openSync, readFileSync, writeSync } from "node:fs";
import { hostname } from "node:os";
import { tryLock } from "fs-native-extensions";

/**
 * A lock of the operating system on a file. The kernel releases it when the last process that has the file open through
 * `fd` has ended, in whatever way. It holds between containers too, which do not see each other's processes.
 */
export interface FileLock {
  /** A child process that gets this descriptor holds the lock as well. */
  fd: number;
  /** Closes the file. The lock stays while a child process has it. */
  release(): void;
}

/** Takes the lock, or says who has it. The file is created if it does not exist. It must never be deleted. */
export function takeFileLock(path: string): FileLock | { holder: string } {
  const fd = openSync(path, "a+", 0o600);
  let isTaken: boolean;
  try {
    isTaken = !tryLock(fd);
  } catch (cause) {
    closeSync(fd);
    const reason = (cause as Error).message;
    throw new Error(`The file ${path} cannot be locked, perhaps because its file system has no locks: ${reason}`, {
      cause,
    });
  }
  if (isTaken) {
    const holder = readFileSync(fd, "utf8").trim();
    closeSync(fd);
    return { holder: holder || "a process that did not write its name" };
  }
  describeHolder(fd);
  return { fd, release: () => closeSync(fd) };
}

/** The content is only for people: it is what a second holder is told. */
function describeHolder(fd: number): void {
  try {
    ftruncateSync(fd);
    writeSync(fd, `process ${process.pid} on ${hostname()}, since ${new Date().toISOString()}\n`);
  } catch {
    // The lock holds without it, for example when the disk is full.
  }
}
