import { readdir, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

/** The file of one range of rows, while the file of an extract is being written at `path`. */
export function partPath(path: string, part: number): string {
  return `${path}-${part}`;
}

/** Removes the file of an extract that is being written, and the files of its ranges. */
export async function removeParts(path: string): Promise<void> {
  await rm(path, { force: true });
  const folder = dirname(path);
  const names = await readdir(folder).catch(() => []);
  for (const name of names) {
    if (name.startsWith(`${basename(path)}-`)) await rm(join(folder, name), { force: true });
  }
}
