import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

export interface RunningServer {
  pid: number;
  process: ChildProcess;
  url: string;
  connectorId: string;
  secret: string;
  /** The embedded PostgreSQL, for baselines on the same engine. */
  databaseUrl(): Promise<string>;
  kill(): Promise<void>;
  stop(): Promise<void>;
}

export interface StartOptions {
  dataDir: string;
  environment?: Record<string, string>;
  /** A module that runs in the process of the server before it. It can send messages to `process`. */
  preload?: URL;
  /** What starts the server, such as `npm start`. Without it, Node does. */
  command?: [string, ...string[]];
  /** Where the server logs to. Without it, where this process does. */
  logFile?: number;
  /** After this time a server that has not started is killed. Without it there is no limit. */
  startLimitMs?: number;
}

const REPOSITORY = fileURLToPath(new URL("../../../", import.meta.url));

/** Starts the real server as a process and waits until it has printed its address and credentials. */
export async function startServer({
  dataDir,
  environment = {},
  preload,
  command,
  logFile,
  startLimitMs,
}: StartOptions): Promise<RunningServer> {
  const main = createRequire(import.meta.url).resolve("@muster/server");
  const flags = preload ? ["--import", preload.href] : [];
  const [program, ...args] = command ?? [process.execPath, ...flags, main];
  const child = spawn(program, args, {
    cwd: command && REPOSITORY,
    env: {
      ...process.env,
      DATA_DIR: dataDir,
      PORT: "0",
      LOG_LEVEL: "error",
      UV_THREADPOOL_SIZE: "16",
      AUTH_FAILURES_PER_MINUTE: "1000000",
      ...environment,
    },
    stdio: ["ignore", "pipe", logFile ?? "inherit", ...(preload ? (["ipc"] as const) : [])],
  });
  const { stdout } = child;
  if (!stdout) throw new Error("The server has no output.");
  const limit = startLimitMs === undefined ? undefined : setTimeout(() => child.kill("SIGKILL"), startLimitMs);
  const facts = new Map<string, string>();
  for await (const line of createInterface({ input: stdout })) {
    const running = /running at (\S+)/.exec(line)?.[1];
    if (running) facts.set("url", running);
    const fact = /^\s+(Connector id|Secret|Gateway)\s+(\S+)/.exec(line);
    if (fact) facts.set(fact[1] ?? "", fact[2] ?? "");
    if (facts.has("Gateway")) break;
  }
  clearTimeout(limit);
  if (!facts.has("Gateway")) throw new Error("The server did not start.");
  stdout.resume();
  const end = async (signal: NodeJS.Signals) => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill(signal);
    await once(child, "exit");
  };
  return {
    pid: child.pid ?? 0,
    process: child,
    url: facts.get("url") ?? "",
    connectorId: facts.get("Connector id") ?? "",
    secret: facts.get("Secret") ?? "",
    async databaseUrl() {
      const password = (await readFile(join(dataDir, "postgres.password"), "utf8")).trim();
      const socketDir = (await readFile(join(dataDir, "postgres", "postmaster.pid"), "utf8")).split("\n")[4] ?? "";
      return `postgresql://muster:${password}@localhost/postgres?host=${encodeURIComponent(socketDir)}`;
    },
    kill: () => end("SIGKILL"),
    stop: () => end("SIGTERM"),
  };
}

/** Runs `work` with a new data directory, and removes the directory after it. */
export async function withDataDir<Result>(work: (dataDir: string) => Promise<Result>): Promise<Result> {
  const dataDir = await mkdtemp(join(tmpdir(), "muster-bench-"));
  try {
    return await work(dataDir);
  } finally {
    // After `kill`, the embedded PostgreSQL writes for a moment until it has noticed.
    await rm(dataDir, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  }
}
