import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { treeOf } from "../lib/process-tree.js";
import { type RunningServer, type StartOptions, startServer } from "../lib/start-server.js";
import type { ServerAddress } from "./server-address.js";

const START_LIMIT_MS = 60_000;
const STOP_LIMIT_MS = 30_000;
const RESTART_ATTEMPTS = 5;

/** The server that the faults are made for. Only processes that it started itself are ever killed. */
export class ServerUnderTest implements ServerAddress {
  readonly #options: StartOptions;
  #running: RunningServer;

  private constructor(options: StartOptions, running: RunningServer) {
    this.#options = options;
    this.#running = running;
  }

  static async start(options: StartOptions): Promise<ServerUnderTest> {
    const limited = { ...options, startLimitMs: START_LIMIT_MS };
    return new ServerUnderTest(limited, await startServer(limited));
  }

  get gatewayUrl(): string {
    return this.#running.url;
  }

  get apiUrl(): string {
    return this.#running.url;
  }

  get connectorId(): string {
    return this.#running.connectorId;
  }

  get secret(): string {
    return this.#running.secret;
  }

  /** Kills the process of the server. Its PostgreSQL notices and stops. */
  kill(): Promise<void> {
    return this.#running.kill();
  }

  /** Starts the server again, whether or not it still runs. */
  async restart(): Promise<void> {
    await this.#running.kill();
    for (let attempt = 1; ; attempt++) {
      try {
        // The server prints credentials only at its first start.
        const { connectorId, secret } = this.#running;
        this.#running = { ...(await startServer(this.#options)), connectorId, secret };
        return;
      } catch (error) {
        if (attempt === RESTART_ATTEMPTS) throw error;
        await sleep(1_000);
      }
    }
  }

  async stop(): Promise<void> {
    const limit = setTimeout(() => void this.#running.kill(), STOP_LIMIT_MS);
    await this.#running.stop();
    clearTimeout(limit);
  }

  /** Kills the first process of the server's PostgreSQL; false when there is none. */
  killPostmaster(): boolean {
    const [postmaster] = this.#postgres().filter(({ isBackend }) => !isBackend);
    return kill(postmaster?.pid);
  }

  /** Kills one process of PostgreSQL that works for a connection; false when there is none. */
  killBackend(choose: (pids: readonly number[]) => number): boolean {
    const pids = this.#postgres()
      .filter(({ title }) => title.startsWith("postgres: muster"))
      .map(({ pid }) => pid);
    return pids.length > 0 && kill(choose(pids));
  }

  #postgres(): { pid: number; title: string; isBackend: boolean }[] {
    return treeOf(this.#running.pid)
      .map((pid) => ({ pid, title: read(pid, "cmdline").split("\0").join(" ").trim(), name: read(pid, "comm").trim() }))
      .filter(({ name }) => name === "postgres")
      .map(({ pid, title }) => ({ pid, title, isBackend: title.startsWith("postgres:") }));
  }
}

function kill(pid: number | undefined): boolean {
  if (pid === undefined) return false;
  try {
    process.kill(pid, "SIGKILL");
    return true;
  } catch {
    // It has ended in the meantime.
    return false;
  }
}

function read(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    return "";
  }
}
