import { open } from "node:fs/promises";

/** Flushes a folder to disk: a new or renamed file survives a power failure only after this. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path);
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
