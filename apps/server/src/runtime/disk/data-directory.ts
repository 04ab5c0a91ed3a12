import { randomBytes } from "node:crypto";
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { takeFileLock } from "./file-lock.js";
import { writeWholeFile } from "./write-whole-file.js";

/** The folder with everything that a Muster server stores on disk. Only one process at a time may use it. */
export interface DataDirectory {
  path: string;
  /** The content of a small secret file, which is created when it does not exist yet. */
  secret(name: string): Promise<string>;
  release(): void;
}

/** The layout of the folder. Must be increased when an older Muster could not use the folder any more. */
const FORMAT = 1;

// Secrets that are created here have 64 characters. An operator may have put shorter ones into the files.
const MIN_SECRET_LENGTH = 32;

export async function openDataDirectory(path: string): Promise<DataDirectory> {
  await mkdir(path, { recursive: true, mode: 0o700 }).catch((cause) => {
    throw new Error(`The data directory ${path} (DATA_DIR) cannot be created: ${(cause as Error).message}`, { cause });
  });
  const lock = await withPermission(path, () => takeFileLock(join(path, "muster.lock")));
  if ("holder" in lock) {
    throw new Error(
      `Another Muster (${lock.holder}) is using the data directory ${path}. Stop it first, or start this one with another DATA_DIR.`,
    );
  }
  try {
    await withPermission(path, () => requireKnownFormat(path));
  } catch (error) {
    lock.release();
    throw error;
  }
  const secrets = new Map<string, Promise<string>>();
  return {
    path,
    secret(name) {
      const secret = secrets.get(name) ?? withPermission(path, () => readSecret(path, name));
      secrets.set(name, secret);
      return secret;
    },
    release: lock.release,
  };
}

/** Reads or writes in the data directory. An error about permissions names the setting and the user. */
async function withPermission<Result>(folder: string, work: () => Result | Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    if (code !== "EACCES" && code !== "EPERM" && code !== "EROFS") throw cause;
    throw new Error(
      `The data directory ${folder} (DATA_DIR) cannot be used by the user that runs the server (uid ${process.getuid?.()}): ${message}. Start the server as the user that owns the directory, or choose another.`,
      { cause },
    );
  }
}

/** Refuses a folder that a newer Muster has written, and notes the format in a folder without one. */
async function requireKnownFormat(folder: string): Promise<void> {
  const file = join(folder, "format");
  const present = await readIfPresent(file);
  if (present === undefined) return writeWholeFile(file, `${FORMAT}\n`);
  const format = Number(present.trim());
  if (!Number.isInteger(format) || format < 1) {
    throw new Error(`The file ${file} should hold the number ${FORMAT}. If it was cut off, write that number into it.`);
  }
  if (format > FORMAT) {
    throw new Error(
      `The data directory ${folder} was written by a newer Muster (format ${format}; this version knows ${FORMAT}). Start that version, or restore a backup into another DATA_DIR.`,
    );
  }
}

async function readIfPresent(file: string): Promise<string | undefined> {
  return readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
}

async function readSecret(folder: string, name: string): Promise<string> {
  const file = join(folder, name);
  const present = await readIfPresent(file);
  if (present === undefined) {
    const created = randomBytes(32).toString("hex");
    await writeWholeFile(file, created);
    return created;
  }
  const secret = present.trim();
  // A new secret would not open what was sealed with the old one, so the file is never replaced.
  if (secret.length < MIN_SECRET_LENGTH) {
    throw new Error(
      `The file ${file} holds ${secret.length} characters, and a secret has at least ${MIN_SECRET_LENGTH}. It was probably cut off when the disk was full. Restore it from a backup. Delete it only if nothing was stored with it yet: a new one is created then.`,
    );
  }
  return secret;
}
