import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { rm } from "node:fs/promises";
import { createInterface } from "node:readline";
import { isObject, MINUTE_MS, parseJson } from "@muster/protocol";
import type { Logger } from "pino";
import { Loop } from "../../runtime/loops/loop.js";
import { within } from "../../runtime/loops/within.js";
import { OutboundError } from "../outbound-error.js";
import { type ChildSettings, LISTENING } from "./child-settings.js";
import { type ChildName, findChild } from "./find-child.js";
import { makePrivateFolder } from "./private-folder.js";

export interface BundledConnectorsOptions {
  dataDir: string;
  logger: Logger;
  /** Asked at each start, because the port of the server may be known only later. */
  settings(): Omit<ChildSettings, "socket" | "connectorsFolder">;
  /** What runs in the process. Default: the connectors that come with Muster. */
  program?: ChildName;
  memoryMb?: number;
  /** Variables of the process, beside those that every program needs. */
  environment?: Readonly<Record<string, string>>;
  /** The program to run; another one in tests. */
  findChild?: typeof findChild;
}

/** How the process of the bundled connectors is. */
export interface BundledState {
  state: "stopped" | "starting" | "running" | "failing";
  pid: number | undefined;
  /** Why it ended last time; undefined when it did not. */
  lastEnd: string | undefined;
}

// Connectors keep no state of their own. The scripts of customers have memory of their own, beside this limit.
const MEMORY_MB = 256;
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 30_000;
// After so long a run the next start does not wait.
const STABLE_MS = MINUTE_MS;
// A call waits for a start. Loading the code takes half a second on a quiet machine.
const START_MS = 45_000;
const STOP_MS = 5_000;
// The process gets no other variable: the others hold secrets of the server.
const PASSED_ON = ["PATH", "HOME", "TZ", "LANG", "TMPDIR", "NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE", "SSL_CERT_DIR"];

/**
 * Runs the connectors that come with Muster in one child process, from the first call on. The process listens on a Unix
 * socket in a folder that only this user can open. It is started again after a crash, with growing pauses, and it ends when
 * this process ends, however that happens: it then loses the channel to it.
 */
export class BundledConnectors {
  readonly #options: BundledConnectorsOptions;
  readonly #loop: Loop;
  readonly #waiting = new Set<(socket: string) => void>();
  #socket: string | undefined;
  #child: ChildProcess | undefined;
  #lastEnd: string | undefined;
  #isStarted = false;
  #isClosed = false;

  constructor(options: BundledConnectorsOptions) {
    this.#options = options;
    this.#loop = new Loop({
      step: (signal) => this.#run(signal),
      onError: (error) =>
        options.logger.error({ err: error }, "the bundled connectors have ended, and are started again"),
      firstRetryMs: FIRST_PAUSE_MS,
      lastRetryMs: LONGEST_PAUSE_MS,
    });
  }

  get state(): BundledState {
    const { pid } = this.#child ?? {};
    const state =
      this.#socket !== undefined
        ? "running"
        : !this.#isStarted || this.#isClosed
          ? "stopped"
          : this.#lastEnd === undefined
            ? "starting"
            : "failing";
    return { state, pid, lastEnd: this.#lastEnd };
  }

  /** The socket on which the connectors listen. Starts them when nobody has called them before. */
  async socket(): Promise<string> {
    if (this.#socket !== undefined) return this.#socket;
    if (this.#isClosed) throw unavailable("the server is stopping");
    this.#isStarted = true;
    this.#loop.start();
    let take: ((socket: string) => void) | undefined;
    const listening = new Promise<string>((resolve) => {
      take = resolve;
      this.#waiting.add(resolve);
    });
    try {
      return await within(START_MS, listening, () => unavailable(this.#lastEnd ?? "they are still starting"));
    } finally {
      if (take) this.#waiting.delete(take);
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#loop.stop();
  }

  /** Runs the process until it ends. Throws when it ended by itself soon after its start. */
  async #run(signal: AbortSignal): Promise<number> {
    const { dataDir, settings, program, memoryMb = MEMORY_MB } = this.#options;
    const { command, connectorsFolder } = (this.#options.findChild ?? findChild)(program);
    const { folder, socket } = await makePrivateFolder(dataDir);
    const startedAt = performance.now();
    const environment = Object.fromEntries(PASSED_ON.flatMap((name) => [[name, process.env[name]]]));
    const child = spawn(process.execPath, [`--max-old-space-size=${memoryMb}`, ...command], {
      stdio: ["ignore", "pipe", "pipe", "ipc"],
      env: { ...environment, ...this.#options.environment },
    });
    this.#child = child;
    const ended = once(child, "exit");
    const stop = () => this.#stop(child);
    signal.addEventListener("abort", stop, { once: true });
    try {
      this.#passLogOn(child);
      child.on("message", (message) => {
        if (message === LISTENING) this.#listensOn(socket);
      });
      // A process that has ended takes no message. Its end is handled below.
      child.send({ ...settings(), socket, connectorsFolder } satisfies ChildSettings, () => {});
      const [code, killedBy] = await ended;
      if (signal.aborted) return 0;
      const how = killedBy === null ? `ended with code ${code}` : `was ended by ${killedBy}`;
      this.#lastEnd = `The process ${how}.`;
      if (performance.now() - startedAt < STABLE_MS) throw new Error(this.#lastEnd);
      this.#options.logger.warn({ reason: this.#lastEnd }, "the bundled connectors have ended after a long time");
      return 0;
    } finally {
      signal.removeEventListener("abort", stop);
      this.#socket = undefined;
      this.#child = undefined;
      await rm(folder, { recursive: true, force: true });
    }
  }

  #listensOn(socket: string): void {
    this.#socket = socket;
    for (const take of this.#waiting) take(socket);
    this.#waiting.clear();
  }

  /** Without its channel the process finishes what it does, and ends. */
  #stop(child: ChildProcess): void {
    if (child.connected) child.disconnect();
    const timer = setTimeout(() => child.kill("SIGKILL"), STOP_MS);
    child.once("exit", () => clearTimeout(timer));
  }

  #passLogOn({ stdout, stderr }: ChildProcess): void {
    for (const stream of [stdout, stderr]) {
      if (stream) createInterface({ input: stream }).on("line", (line) => this.#log(line));
    }
  }

  /** What a connector logs may hold data of customers, which are in the connector's own log. Here is only where to look. */
  #log(line: string): void {
    const { logger } = this.#options;
    const entry = parseJson(line);
    if (!isObject(entry) || typeof entry.message !== "string") {
      logger.warn({ line: line.slice(0, 2_000) }, "the process of the bundled connectors has written a line");
      return;
    }
    const context = isObject(entry.context) ? entry.context : {};
    const { id, organization, connector_name: connector } = context;
    logger.debug({ event: entry.message, connector, connectorId: id, organization }, "a bundled connector logs");
  }
}

function unavailable(reason: string): OutboundError {
  return new OutboundError("network", `The connectors that come with Muster do not run: ${reason}`);
}
