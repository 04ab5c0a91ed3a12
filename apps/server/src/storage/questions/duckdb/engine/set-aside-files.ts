import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { DAY_MS } from "@muster/protocol";

const ENDING = ".unreadable";
/** Long enough to look at what was damaged. The file has data of people, also of those who are erased later. */
const KEPT_MS = 7 * DAY_MS;

/** Where a damaged file is moved to. */
export function setAsidePath(path: string, now: Date): string {
  return `${path}.${now.toISOString().replaceAll(":", "-")}${ENDING}`;
}

/** Removes damaged files that were set aside a week ago. */
export async function removeOldSetAside(folder: string, now: number): Promise<void> {
  // A rename sets the time of the last change of the file's entry.
  await removeSetAside(folder, async (name) => now - (await stat(join(folder, name))).ctimeMs > KEPT_MS);
}

/** Removes the damaged files that were set aside and that `isRemoved` accepts by their names. */
export async function removeSetAside(
  folder: string,
  isRemoved: (name: string) => boolean | Promise<boolean>,
): Promise<void> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw error;
  });
  for (const name of names.filter((known) => known.endsWith(ENDING) || known.endsWith(`${ENDING}.wal`))) {
    if (await isRemoved(name)) await rm(join(folder, name), { force: true });
  }
}
