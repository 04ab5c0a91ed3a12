import { execFileSync } from "node:child_process";
import { closeSync, openSync, rmSync, statfsSync, statSync, writeSync } from "node:fs";
import { mkdir, mkdtemp, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const SIZE = "4G";
const CHUNK = Buffer.alloc(4 * 1024 * 1024, 1);

/** A folder for a server, on a file system of its own where that is possible. */
export interface SmallDisk {
  /** A folder outside the file system, for files of the benchmark. */
  folder: string;
  dataDir: string;
  /** Why the file system cannot be filled; undefined when it can. */
  problem: string | undefined;
  fill(): void;
  free(): void;
  remove(): Promise<void>;
}

export async function openSmallDisk(): Promise<SmallDisk> {
  const folder = await mkdtemp(join(tmpdir(), "muster-chaos-"));
  const mounted = join(folder, "disk");
  await mkdir(mounted);
  const problem = await mountDisk(folder, mounted);
  const ballast = join(mounted, "ballast");
  return {
    folder,
    dataDir: join(mounted, "data"),
    problem,
    fill: () => fillWith(ballast),
    free: () => rmSync(ballast, { force: true }),
    async remove() {
      if (problem === undefined) await unmount(mounted);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Mounts a new file system: in a file, or in memory where there are no loop devices. Returns why it cannot be done. */
async function mountDisk(folder: string, mounted: string): Promise<string | undefined> {
  if (process.platform !== "linux") return "file systems are mounted on Linux only";
  if (process.getuid?.() !== 0) return "only root can mount a file system";
  const image = join(folder, "image");
  await writeFile(image, "");
  await truncate(image, 4 * 1024 ** 3);
  try {
    run("mkfs.ext4", "-q", "-m", "0", image);
    run("mount", "-o", "loop", image, mounted);
    return undefined;
  } catch {
    await rm(image, { force: true });
  }
  try {
    run("mount", "-t", "tmpfs", "-o", `size=${SIZE}`, "tmpfs", mounted);
    return undefined;
  } catch (error) {
    return `no file system can be mounted: ${(error as Error).message.trim()}`;
  }
}

async function unmount(mounted: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      run("umount", mounted);
      return;
    } catch (error) {
      // A process that was killed may hold a file for a moment.
      if (attempt === 50) throw error;
      await sleep(200);
    }
  }
}

/** Takes all space that is left: most of it at once, without writing it, and the rest by writing. */
function fillWith(path: string): void {
  const file = openSync(path, "a");
  const { bavail, bsize } = statfsSync(path);
  const most = bavail * bsize - CHUNK.length;
  try {
    if (most > 0) run("fallocate", "--offset", String(statSync(path).size), "--length", String(most), path);
  } catch {
    // Another program took space at the same time, or the command is missing. Then everything is written.
  }
  try {
    for (let size = CHUNK.length; size >= 4_096; ) {
      try {
        if (writeSync(file, CHUNK, 0, size) < size) size /= 2;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
        size /= 2;
      }
    }
  } finally {
    closeSync(file);
  }
}

function run(command: string, ...args: string[]): void {
  execFileSync(command, args, { stdio: ["ignore", "ignore", "pipe"] });
}
