import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";

export const REPOSITORY = fileURLToPath(new URL("../../", import.meta.url));
export const MUSTER = fileURLToPath(new URL("../../packages/cli/bin/muster.js", import.meta.url));

const READY_TIMEOUT_MS = 150_000;

export interface MusterProcess {
  url: string;
  pid: number;
  /** What the process has written so far to both streams. */
  output(): string;
  /** Resolves once `/readyz` answers 200. Rejects with the output when the process ends before. */
  ready(timeoutMs?: number): Promise<void>;
  /** Sends a signal to the process alone. */
  kill(signal: NodeJS.Signals): void;
  /** Sends a signal to the whole group, as a terminal does for Ctrl-C. */
  killGroup(signal: NodeJS.Signals): void;
  /** Resolves with the exit code, or with the signal that ended the process. */
  ended: Promise<number | NodeJS.Signals>;
}

export interface StartOptions {
  dataDir: string;
  port: number;
  /** Default: `npm start`. */
  command?: [string, ...string[]];
  /** Where the command runs. Default: this repository. */
  folder?: string;
  environment?: Record<string, string>;
}

/** Starts a real server as a person would do it, in a process group of its own. */
export function startMuster({
  dataDir,
  port,
  command = ["npm", "start"],
  folder = REPOSITORY,
  environment = {},
}: StartOptions): MusterProcess {
  const [program, ...args] = command;
  const child = spawn(program, args, {
    cwd: folder,
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, DATA_DIR: dataDir, PORT: String(port), ...environment },
  });
  const url = `http://127.0.0.1:${port}`;
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (chunk: string) => {
      output += chunk;
    });
  }
  const pid = child.pid ?? 0;
  const ended = endOf(child);
  return {
    url,
    pid,
    output: () => output,
    ended,
    kill: (signal) => process.kill(pid, signal),
    killGroup: (signal) => process.kill(-pid, signal),
    async ready(timeoutMs = READY_TIMEOUT_MS) {
      const failed = ended.then((code) => {
        throw new Error(`Muster ended with ${code} before it was ready:\n${output}`);
      });
      await Promise.race([failed, untilReady(`${url}/readyz`, timeoutMs)]);
      failed.catch(() => {});
    },
  };
}

async function endOf(child: ChildProcess): Promise<number | NodeJS.Signals> {
  const [code, signal] = (await once(child, "close")) as [number | null, NodeJS.Signals | null];
  return code ?? signal ?? 0;
}

/** Also used where no test runs yet, so it waits without the test runner. */
async function untilReady(url: string, timeoutMs: number): Promise<void> {
  const end = Date.now() + timeoutMs;
  for (;;) {
    const state = await fetch(url).then(
      ({ status }) => `answered ${status}`,
      (error: unknown) => `did not answer: ${String(error)}`,
    );
    if (state === "answered 200") return;
    if (Date.now() > end) throw new Error(`${url} ${state}.`);
    await wait(50);
  }
}
