import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The text of the file that `write` writes. */
export async function writtenText(write: (path: string) => Promise<unknown>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "muster-test-"));
  try {
    const path = join(folder, "written");
    await write(path);
    return await readFile(path, "utf8");
  } finally {
    await rm(folder, { recursive: true });
  }
}
