import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

const SOCKET = "connectors.sock";
// The longest path of a Unix socket is 107 bytes on Linux and 103 on macOS.
const MAX_PATH_BYTES = 103;
// What `mkdtemp` adds to the name.
const RANDOM = "XXXXXX";

/** Makes a folder that only this user can open, for a Unix socket in it. The data directory is for systems without a temporary folder. */
export async function makePrivateFolder(dataDir: string): Promise<{ folder: string; socket: string }> {
  let failure: unknown;
  for (const parent of [tmpdir(), dataDir, "/tmp"]) {
    const prefix = join(parent, "muster-");
    if (Buffer.byteLength(join(prefix + RANDOM, SOCKET)) > MAX_PATH_BYTES) continue;
    try {
      const folder = await mkdtemp(prefix);
      return { folder, socket: join(folder, SOCKET) };
    } catch (error) {
      failure = error;
    }
  }
  throw new Error("There is no folder for the socket of the bundled connectors.", { cause: failure });
}
