import { execFile } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { promisify } from "node:util";

const run = promisify(execFile);

/** The ids of all other running processes whose command line or environment contains `text`. */
export async function processesMentioning(text: string): Promise<number[]> {
  const processes = process.platform === "linux" ? await readProc() : await readPs();
  return processes.filter(({ pid, texts }) => pid !== process.pid && texts.includes(text)).map(({ pid }) => pid);
}

interface ProcessTexts {
  pid: number;
  /** Command line and environment. */
  texts: string;
}

async function readProc(): Promise<ProcessTexts[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name)).map(Number);
  return Promise.all(
    pids.map(async (pid) => {
      const texts = await Promise.all(["cmdline", "environ"].map((file) => readText(`/proc/${pid}/${file}`)));
      return { pid, texts: texts.join("\n") };
    }),
  );
}

/** Empty when the process has ended meanwhile or belongs to another user. */
function readText(file: string): Promise<string> {
  return readFile(file, "utf8").catch(() => "");
}

/** macOS has no /proc. Its `ps -E` prints the environment after the command. */
async function readPs(): Promise<ProcessTexts[]> {
  const { stdout } = await run("ps", ["-axww", "-E", "-o", "pid=,command="], { maxBuffer: 64 * 1024 * 1024 });
  return stdout.split("\n").map((line) => ({ pid: Number.parseInt(line, 10), texts: line }));
}
