import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";

/** How many bytes the files in a folder and below it have; 0 when there is no such folder. */
export async function folderSize(folder: string): Promise<number> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(ignoreMissing);
  const sizes = await Promise.all(
    (entries ?? []).map(async (entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return folderSize(path);
      // A file may be removed between the two calls.
      return entry.isFile() ? ((await stat(path).catch(ignoreMissing))?.size ?? 0) : 0;
    }),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT") throw error;
  return undefined;
}
