import { mkdir, readFile, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type FileLock, takeFileLock } from "../../../runtime/disk/file-lock.js";

const LOOK_EVERY_MS = 20;

/**
 * Takes the lock of PostgreSQL's data. Every process of PostgreSQL inherits it, so it is free as soon as the last of them
 * has ended. PostgreSQL's own check compares pids, which mean nothing in another container. Waits for a PostgreSQL that
 * is just stopping, because its Muster was killed.
 */
export async function lockServer(dataDir: string, waitMs: number): Promise<FileLock> {
  await mkdir(dirname(dataDir), { recursive: true, mode: 0o700 });
  const deadline = performance.now() + waitMs;
  for (;;) {
    const lock = takeFileLock(`${dataDir}.lock`);
    if (!("holder" in lock)) {
      await removePidFile(dataDir).catch((error: unknown) => {
        lock.release();
        throw error;
      });
      return lock;
    }
    if (performance.now() > deadline) {
      throw new Error(`Another PostgreSQL (started by ${lock.holder}) uses ${dataDir}. Stop it first.`);
    }
    await sleep(LOOK_EVERY_MS);
  }
}

/**
 * Removes the pid file that a killed PostgreSQL left. With it PostgreSQL would refuse to start when another program has
 * the pid now, which is common in containers.
 */
async function removePidFile(dataDir: string): Promise<void> {
  const pidFile = join(dataDir, "postmaster.pid");
  const content = await readFile(pidFile, "utf8").catch(() => undefined);
  if (content === undefined) return;
  const pid = Number.parseInt(content, 10);
  const command = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
  if (command.includes(dataDir)) {
    throw new Error(`PostgreSQL (process ${pid}), which this Muster has not started, uses ${dataDir}. Stop it first.`);
  }
  // Without /proc it is not known whose pid it is. There are no containers either, and PostgreSQL's own check is enough.
  if (process.platform === "linux") await rm(pidFile, { force: true });
}
