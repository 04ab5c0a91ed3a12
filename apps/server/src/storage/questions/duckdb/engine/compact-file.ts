import { rename, rm } from "node:fs/promises";
import type { Engine } from "./engine.js";

/**
 * Replaces a file that is not attached by a copy with the same rows. DuckDB marks rows as deleted and frees blocks, but
 * leaves both in the file, where everybody with access to the disk can read them. The copy has none of that.
 */
export async function compactFile(engine: Engine, path: string, organizationId: string): Promise<void> {
  const copy = `${path}.copy`;
  const [from, to] = [`old_${organizationId}`, `new_${organizationId}`];
  await removeFile(copy);
  try {
    await engine.attach(path, from);
    try {
      await engine.attach(copy, to);
      try {
        await engine.run(`copy from database ${from} to ${to}`);
        await engine.checkpoint(to, false);
      } finally {
        await engine.run(`detach ${to}`);
      }
    } finally {
      await engine.run(`detach ${from}`);
    }
    await rename(copy, path);
    await rm(`${path}.wal`, { force: true });
  } finally {
    await removeFile(copy);
  }
}

/** Removes a file of the engine together with its write-ahead log. */
export async function removeFile(path: string): Promise<void> {
  await rm(path, { force: true });
  await rm(`${path}.wal`, { force: true });
}
