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

// Secrets that are created here have 64 characters. An operator may have put shorter ones into the files.
const MIN_SECRET_LENGTH = 32;

export async function openDataDirectory(path: string): Promise<DataDirectory> {
  await mkdir(path, { recursive: true, mode: 0o700 }).catch((cause) => {
    throw new Error(`The data directory ${path} cannot be created: ${(cause as Error).message}`, { cause });
  });
  const lock = takeFileLock(join(path, "muster.lock"));
  if ("holder" in lock) {
    throw new Error(
      `Another Muster (${lock.holder}) is using the data directory ${path}. Stop it first, or start this one with another DATA_DIR.`,
    );
  }
  const secrets = new Map<string, Promise<string>>();
  return {
    path,
    secret(name) {
      const secret = secrets.get(name) ?? readSecret(path, name);
      secrets.set(name, secret);
      return secret;
    },
    release: lock.release,
  };
}

async function readSecret(folder: string, name: string): Promise<string> {
  const file = join(folder, name);
  const present = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
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
