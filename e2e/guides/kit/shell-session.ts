import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { setTimeout as wait } from "node:timers/promises";

export interface ShellResult {
  /** Whether the commands succeeded. */
  ok: boolean;
  stdout: string;
  stderr: string;
}

export interface ShellOptions {
  /** Where the commands run. */
  folder: string;
  /** Where the session keeps its own files. */
  notes: string;
  environment: Record<string, string>;
}

const COMMAND_TIMEOUT_MS = 150_000;
const END_TIMEOUT_MS = 10_000;

/** One bash in which the blocks of a page run one after the other. Variables and background processes stay. */
export class ShellSession {
  readonly #notes: string;
  readonly #bash: ChildProcess;
  readonly #ended: Promise<unknown>;
  readonly #steps: AsyncIterator<unknown>;
  #count = 0;

  constructor({ folder, notes, environment }: ShellOptions) {
    this.#notes = notes;
    this.#bash = spawn("bash", ["--noprofile", "--norc", "-s"], {
      cwd: folder,
      env: environment,
      // A group of its own, so that background processes can be ended with it.
      detached: true,
      stdio: ["pipe", "ignore", "ignore", "pipe"],
    });
    this.#ended = once(this.#bash, "exit");
    // Bash writes a byte to this pipe after every step. It stays open as long as a background process has it.
    this.#steps = (this.#bash.stdio[3] as Readable).iterator();
    this.#bash.stdin?.on("error", () => {});
    this.#bash.stdin?.write("set -euo pipefail\n");
  }

  /** Runs commands and waits until they are done. After a failure the session has ended. */
  async run(commands: string): Promise<ShellResult> {
    const base = join(this.#notes, String(++this.#count));
    await writeFile(`${base}.sh`, commands);
    await writeFile(`${base}.out`, "");
    await writeFile(`${base}.err`, "");
    const redirected = `3>&- </dev/null >'${base}.out' 2>'${base}.err'`;
    this.#bash.stdin?.write(`source '${base}.sh' ${redirected}\nprintf x >&3\n`);
    const abort = new AbortController();
    const done = await Promise.race([
      this.#steps.next().then(({ done: closed }) => (closed ? "failed" : "done")),
      this.#ended.then(() => "failed"),
      wait(COMMAND_TIMEOUT_MS, "timeout", { signal: abort.signal }),
    ]);
    abort.abort();
    const [stdout, stderr] = await Promise.all([readFile(`${base}.out`, "utf8"), readFile(`${base}.err`, "utf8")]);
    const late = done === "timeout" ? `\nThe block was not done after ${COMMAND_TIMEOUT_MS / 1000} s.` : "";
    return { ok: done === "done", stdout, stderr: stderr + late };
  }

  /** Ends the session and every process that it has started. */
  async close(): Promise<void> {
    const group = this.#bash.pid;
    if (group === undefined) return;
    const end = Date.now() + END_TIMEOUT_MS;
    signalGroup(group, "SIGTERM");
    while (signalGroup(group, 0) && Date.now() < end) await wait(20);
    signalGroup(group, "SIGKILL");
    await this.#ended;
  }
}

/** Returns whether a process of the group got the signal. */
function signalGroup(group: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-group, signal);
  } catch {
    return false;
  }
}
