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
export async function removeSetAside(folder: string, now: number): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  for (const name of names.filter((known) => known.endsWith(ENDING) || known.endsWith(`${ENDING}.wal`))) {
    const path = join(folder, name);
    // A rename sets the time of the last change of the file's entry.
    const { ctimeMs } = await stat(path);
    if (now - ctimeMs > KEPT_MS) await rm(path, { force: true });
  }
}
