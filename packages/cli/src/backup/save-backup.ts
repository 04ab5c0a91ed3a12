import { open, rename, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { readBackup, syncFolder } from "@muster/server/backup-file";
import { usageFailure } from "../failure.js";
import { type CheckedBackup, type CheckOptions, checkBackup } from "./check-backup.js";

export interface SavedBackup extends CheckedBackup {
  bytes: number;
}

/** Where the bytes of a backup go. */
interface Target {
  write(chunk: Buffer): Promise<void>;
}

/**
 * Writes a backup to a file. The file has a temporary name until it is complete and synced to disk. So an interrupted
 * backup does not look like a backup, and the previous file stays until then.
 */
export async function saveBackup(
  content: AsyncIterable<Buffer>,
  path: string,
  onProgress: CheckOptions["onProgress"],
): Promise<SavedBackup> {
  const unfinished = `${path}.part`;
  // Removes what a killed command left. The file is not reused, because it may be a link, or readable by others.
  await rm(unfinished, { force: true });
  const file = await open(unfinished, "wx", 0o600);
  try {
    const saved = await passBackup(content, { write: async (chunk) => void (await file.writeFile(chunk)) }, onProgress);
    await file.sync();
    await file.close();
    await rename(unfinished, path);
    await syncFolder(dirname(path));
    return saved;
  } catch (error) {
    await file.close();
    await rm(unfinished, { force: true });
    throw error;
  }
}

/** Throws when the path is not a regular file, because the final rename would replace a device by a file. */
export async function refuseSpecialFile(path: string): Promise<void> {
  const present = await stat(path).catch(() => undefined);
  if (present && !present.isFile()) {
    throw usageFailure(`${path} is not a file. Name a file, or - for standard output.`);
  }
}

/** Streams a backup to the target, and checks that it is complete. */
export async function passBackup(
  content: AsyncIterable<Buffer>,
  target: Target,
  onProgress: CheckOptions["onProgress"],
): Promise<SavedBackup> {
  let bytes = 0;
  const written = async function* () {
    for await (const chunk of received(content)) {
      await target.write(chunk);
      bytes += chunk.length;
      yield chunk;
    }
  };
  const options = { unpacks: false, passphrase: undefined, onProgress };
  const checked = await checkBackup(readBackup(written()), options);
  return { ...checked, bytes };
}

/** `fetch` says only "terminated" when a server is killed. */
async function* received(content: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield* content;
  } catch (cause) {
    const message =
      "The connection to the server was closed before the backup was complete. Look at the log of the server.";
    throw new Error(message, { cause });
  }
}
