import { createReadStream } from "node:fs";
import { mkdir, open, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { syncFolder } from "../../runtime/disk/sync-folder.js";
import type { FileStore } from "./file-store.js";

/** Stores files in a local folder. */
export function createLocalFiles(folder: string): FileStore {
  return {
    async keep(key, path) {
      const target = join(folder, key);
      await mkdir(dirname(target), { recursive: true, mode: 0o700 });
      await rename(path, target);
      await syncFolder(dirname(target));
    },
    async read(key, range) {
      try {
        const file = await open(join(folder, key));
        return createReadStream("", { fd: file, ...range });
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
        throw error;
      }
    },
    async remove(key) {
      await rm(join(folder, key), { force: true });
    },
  };
}
