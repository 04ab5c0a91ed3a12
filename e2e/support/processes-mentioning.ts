import { readdir, readFile } from "node:fs/promises";

/** The ids of all other running processes whose command line or environment contains `text`. */
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

/** Empty when the process has ended meanwhile or belongs to another user. */
function readText(file: string): Promise<string> {
  return readFile(file, "utf8").catch(() => "");
}
