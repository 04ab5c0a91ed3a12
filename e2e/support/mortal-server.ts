import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect } from "vitest";
import { freePort } from "../../testing/free-port.js";
import { MUSTER, type MusterProcess, REPOSITORY, startMuster } from "./muster-process.js";
import { prepareDataDir } from "./prepare-data-dir.js";
import { processesMentioning } from "./processes-mentioning.js";

/** A server that a test can kill and start again, on the same data and port. */
export class MortalServer {
  /** A folder for the files of the test. The data directory is in it. */
  readonly parent: string;
  readonly dataDir: string;
  readonly #port: number;
  readonly #environment: Record<string, string>;
  #process: MusterProcess;

  private constructor(parent: string, port: number, environment: Record<string, string>) {
    this.parent = parent;
    this.dataDir = join(parent, "data");
    this.#port = port;
    this.#environment = environment;
    this.#process = this.#spawn();
  }

  static async open(name: string, environment: Record<string, string> = {}): Promise<MortalServer> {
    const parent = await mkdtemp(join(tmpdir(), `muster-${name}-`));
    await prepareDataDir(join(parent, "data"));
    const server = new MortalServer(parent, await freePort(), environment);
    await server.process.ready();
    return server;
  }

  get process(): MusterProcess {
    return this.#process;
  }

  get url(): string {
    return this.#process.url;
  }

  /** Kills the server and its engines with `kill -9`, runs `meanwhile`, and starts the server again. */
  async killAndRestart(meanwhile: () => Promise<void> = async () => {}): Promise<void> {
    this.#process.killGroup("SIGKILL");
    expect(await this.#process.ended).toBe("SIGKILL");
    await meanwhile();
    this.#process = this.#spawn();
    await this.#process.ready();
  }

  /** Stops the server with SIGTERM, runs `meanwhile`, and starts the server again. */
  async stopAndStart(meanwhile: () => Promise<void>): Promise<void> {
    this.#process.kill("SIGTERM");
    expect(await this.#process.ended).toBe(0);
    await meanwhile();
    this.#process = this.#spawn();
    await this.#process.ready();
  }

  /** Runs a command of the CLI on the server and returns its JSON. */
  async muster<Answer>(...args: string[]): Promise<Answer> {
    const { stdout } = await promisify(execFile)(process.execPath, [MUSTER, ...args, "--json"], {
      cwd: REPOSITORY,
      env: { PATH: process.env.PATH, MUSTER_URL: this.url, DATA_DIR: this.dataDir },
    });
    return JSON.parse(stdout) as Answer;
  }

  async close(): Promise<void> {
    for (const pid of await processesMentioning(this.parent)) killIfThere(pid);
    await this.#process.ended;
    await rm(this.parent, { recursive: true, force: true, maxRetries: 10 });
  }

  #spawn(): MusterProcess {
    return startMuster({
      dataDir: this.dataDir,
      port: this.#port,
      command: [process.execPath, "apps/server/bundle/main.js", "--json"],
      environment: { LOG_LEVEL: "error", UV_THREADPOOL_SIZE: "16", ...this.#environment },
    });
  }
}

/** A process may end by itself after it was listed. */
function killIfThere(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}
