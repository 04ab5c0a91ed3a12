import { readdir, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

/** The file of one range of rows, while the file of an extract is being written at `path`. */
export function partPath(path: string, part: number): string {
  return `${path}-${part}`;
}

/** Removes the files of an extract whose names begin with a path: those that are being written, and those of ranges. */
export async function removeParts(path: string): Promise<void> {
  await rm(path, { force: true });
  const folder = dirname(path);
  const names = await readdir(folder).catch(() => []);
  for (const name of names) {
    const isPart = name.startsWith(`${basename(path)}-`) || name.startsWith(`${basename(path)}.`);
    if (isPart) await rm(join(folder, name), { force: true });
  }
}
