import { execFileSync, spawnSync } from "node:child_process";
import { statfsSync, statSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { canTest } from "../../../../testing/can-test.js";

export interface SmallDisk {
  path: string;
  /** Leaves so many bytes free. */
  fill(freeBytes: number): void;
  /** Gives all the space back. */
  empty(): Promise<void>;
  close(): Promise<void>;
}

export const canMount = canTest(
  process.platform === "linux" && process.getuid?.() === 0 && isMountable(),
  "Full disks are not tested: this machine does not let the tests mount a small file system. " +
    "To test them, run the tests on Linux as root.",
);

/** Mounts a file system of the given size. It is a sparse file, so it takes only as much space as is written to it. */
export async function openSmallDisk(bytes: number): Promise<SmallDisk> {
  const folder = await mkdtemp(join(tmpdir(), "muster-disk-"));
  const image = join(folder, "image");
  const path = join(folder, "disk");
  await writeFile(image, "");
  execFileSync("truncate", ["-s", String(bytes), image]);
  execFileSync("mkfs.ext4", ["-q", "-m", "0", "-O", "^has_journal", image]);
  execFileSync("mkdir", [path]);
  execFileSync("mount", ["-o", "loop", image, path]);
  const ballast = join(path, "ballast");
  return {
    path,
    fill(freeBytes) {
      const { bavail, bsize } = statfsSync(path);
      const taken = bavail * bsize - freeBytes;
      if (taken <= 0) return;
      const offset = statSync(ballast, { throwIfNoEntry: false })?.size ?? 0;
      spawnSync("fallocate", ["--offset", String(offset), "--length", String(taken), ballast]);
      // The file system needs some blocks for itself, so the last ones are written one by one.
      if (freeBytes === 0)
        spawnSync("dd", ["if=/dev/zero", `of=${ballast}`, "bs=4096", "oflag=append", "conv=notrunc"]);
    },
    empty: () => rm(ballast, { force: true }),
    async close() {
      execFileSync("umount", ["--lazy", path]);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function isMountable(): boolean {
  try {
    execFileSync("mkfs.ext4", ["-V"], { stdio: "ignore" });
    execFileSync("losetup", ["--find"], { stdio: "ignore" });
    // The capability to mount, which root in a container often lacks.
    execFileSync("unshare", ["--mount", "true"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}
