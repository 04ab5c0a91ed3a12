import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { freePort } from "../free-port.js";

// This file runs from its source in tests, and from dist in benchmarks. The program runs from dist.
const OWN_FOLDER = fileURLToPath(new URL("./", import.meta.url));
const PROGRAM = OWN_FOLDER.includes("/dist/")
  ? `${OWN_FOLDER}serve-chdb.js`
  : fileURLToPath(new URL("../dist/clickhouse/serve-chdb.js", import.meta.url));

export interface ClickHouseFrontOptions {
  /** Where chdb is installed. */
  chdbFolder: string;
  dataDir: string;
}

/** A ClickHouse server of a test, in a process of its own. A start after a kill has the same address and data. */
export class ClickHouseFront {
  readonly #options: ClickHouseFrontOptions;
  readonly #port: number;
  #process: ChildProcess | undefined;

  private constructor(options: ClickHouseFrontOptions, port: number) {
    this.#options = options;
    this.#port = port;
  }

  static async open(options: ClickHouseFrontOptions): Promise<ClickHouseFront> {
    const front = new ClickHouseFront(options, await freePort());
    await front.start();
    return front;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  get pid(): number {
    return this.#process?.pid ?? 0;
  }

  async start(): Promise<void> {
    const { chdbFolder, dataDir } = this.#options;
    const args = [PROGRAM, "--chdb", chdbFolder, "--data", dataDir, "--port", String(this.#port)];
    // Each session works in a thread of Node's pool.
    const env = { ...process.env, UV_THREADPOOL_SIZE: "16" };
    const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"], env });
    this.#process = child;
    const lines = createInterface({ input: child.stdout });
    const isReady = await Promise.race([once(lines, "line").then(() => true), once(child, "exit").then(() => false)]);
    if (!isReady) throw new Error("The ClickHouse server of the test did not start.");
  }

  async kill(): Promise<void> {
    await this.#end("SIGKILL");
  }

  async stop(): Promise<void> {
    await this.#end("SIGTERM");
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#process;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "exit");
    child.kill(signal);
    await ended;
  }
}
