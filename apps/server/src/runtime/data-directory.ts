import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** The folder with everything that a Muster server stores on disk. Only one process at a time may use it. */
export interface DataDirectory {
  path: string;
  /** The content of a small secret file. `create` provides it when the file does not exist yet. */
  secret(name: string, create?: () => string): Promise<string>;
  release(): Promise<void>;
}

export async function openDataDirectory(path: string): Promise<DataDirectory> {
  await mkdir(path, { recursive: true, mode: 0o700 }).catch((cause) => {
    throw new Error(`The data directory ${path} cannot be created: ${(cause as Error).message}`, { cause });
  });
  const lockFile = join(path, "muster.pid");
  await takeLock(lockFile, path);
  return {
    path,
    async secret(name, create = () => randomBytes(32).toString("hex")) {
      const file = join(path, name);
      await writeFile(file, create(), { mode: 0o600, flag: "wx" }).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== "EEXIST") throw error;
      });
      return (await readFile(file, "utf8")).trim();
    },
    async release() {
      await rm(lockFile, { force: true });
    },
  };
}

async function takeLock(lockFile: string, path: string): Promise<void> {
  const own = `${process.pid} ${startTimeOf(process.pid) ?? ""}`;
  for (let attempt = 0; attempt < 2; attempt++) {
    try {
      await writeFile(lockFile, own, { flag: "wx", mode: 0o644 });
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
    const [pid, startTime] = (await readFile(lockFile, "utf8").catch(() => "")).split(" ");
    if (isSameProcess(Number(pid), startTime)) {
      throw new Error(
        `Another Muster (process ${pid}) is using the data directory ${path}. Stop it first, or start this one with another DATA_DIR.`,
      );
    }
    // The process that wrote the file was killed.
    await rm(lockFile, { force: true });
  }
  throw new Error(`The data directory ${path} was taken by another Muster while this one was starting.`);
}

function isSameProcess(pid: number, startTime: string | undefined): boolean {
  if (!Number.isInteger(pid) || pid <= 0 || pid === process.pid) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
  const current = readProcess(pid);
  if (current?.isDead) return false;
  return current === undefined || !startTime || current.startTime === startTime;
}

function startTimeOf(pid: number): string | undefined {
  return readProcess(pid)?.startTime;
}

/**
 * A pid is reused; a pid together with its start time is not. A killed process keeps its pid until its parent waits for
 * it, which in a container may never happen. Undefined where there is no /proc.
 */
function readProcess(pid: number): { startTime: string | undefined; isDead: boolean } | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return { startTime: fields[19], isDead: fields[0] === "Z" || fields[0] === "X" };
  } catch {
    return undefined;
  }
}
