import { readdir, readFile } from "node:fs/promises";

/** Ids of the living processes, other than this one, whose command line or environment mentions `text`. */
export async function processesMentioning(text: string): Promise<number[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid);
  const mentions = await Promise.all(
    pids.map(async (pid) => {
      const parts = await Promise.all(["cmdline", "environ"].map((file) => readText(`/proc/${pid}/${file}`)));
      return parts.some((part) => part.includes(text));
    }),
  );
  return pids.filter((_, index) => mentions[index]).map(Number);
}

/** A process may end while it is being read, or belong to somebody else. */
function readText(file: string): Promise<string> {
  return readFile(file, "utf8").catch(() => "");
}
