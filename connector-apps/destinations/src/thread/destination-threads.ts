import type { Worker } from "node:worker_threads";
import type { OAuthTokens } from "../package/definition.js";
import type { CallName, ThreadCalls, ThreadData, ThreadNote } from "./calls.js";
import type { Outcome } from "./outcome.js";

/** A call of a destination that failed as a whole. */
export class DestinationFailure extends Error {
  override readonly name = "DestinationFailure";
  readonly outcome: Outcome;

  constructor(outcome: Outcome) {
    super(outcome.reason ?? "The destination failed.");
    this.outcome = outcome;
  }
}

/** The thread did not answer in time, has used up its memory, or has ended by itself. */
export class DestinationStopped extends Error {
  override readonly name = "DestinationStopped";
}

export interface DestinationThreadsOptions {
  /** The installation of the package. */
  folder: string;
  /** Starts the code of a thread, with these limits. */
  start(data: ThreadData, limits: { maxOldGenerationSizeMb: number }): Worker;
  /** How long a call may take. Shorter than Muster waits for the connector. */
  callMs?: number;
  /** A thread that nobody has called for so long ends. */
  idleMs?: number;
  memoryMb?: number;
}

interface Running {
  worker: Worker;
  /** It has loaded its code, and has answered a call. */
  isReady: boolean;
  waiting: Map<number, { resolve(output: unknown): void; reject(error: Error): void; timer: NodeJS.Timeout }>;
  idle: NodeJS.Timeout | undefined;
}

const CALL_MS = 15_000;
/** How much longer the first calls may take, because the code is loaded meanwhile. */
const START_MS = 8_000;
const IDLE_MS = 10 * 60_000;
/** The largest destination takes 60 MB. */
const MEMORY_MB = 192;

/**
 * Each destination has a thread of its own, from its first call on. One that hangs, throws where nothing catches it, or uses up its
 * memory loses its thread and nothing else; the next call starts another.
 */
export class DestinationThreads {
  readonly #options: DestinationThreadsOptions;
  readonly #running = new Map<string, Running>();
  readonly #tokenListeners = new Map<string, (tokens: OAuthTokens) => void>();
  #lastId = 0;

  constructor(options: DestinationThreadsOptions) {
    this.#options = options;
  }

  /** How many destinations are loaded. */
  get size(): number {
    return this.#running.size;
  }

  /** Who saves the tokens of a connector when they are refreshed. */
  onTokens(connectorId: string, save: (tokens: OAuthTokens) => void): void {
    this.#tokenListeners.set(connectorId, save);
  }

  call<Name extends CallName>(
    destination: string,
    name: Name,
    input: ThreadCalls[Name]["input"],
  ): Promise<ThreadCalls[Name]["output"]> {
    const running = this.#running.get(destination) ?? this.#start(destination);
    clearTimeout(running.idle);
    this.#lastId += 1;
    const id = this.#lastId;
    const callMs = (this.#options.callMs ?? CALL_MS) + (running.isReady ? 0 : START_MS);
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#end(destination, running, `It did not finish within ${callMs / 1_000} seconds, and was stopped.`);
      }, callMs);
      // The thread answers with the output that belongs to the name.
      running.waiting.set(id, { resolve: resolve as (output: unknown) => void, reject, timer });
      running.worker.postMessage({ id, name, input });
    });
  }

  async close(): Promise<void> {
    const all = [...this.#running];
    for (const [destination, running] of all) this.#end(destination, running, "The process is stopping.");
    await Promise.all(all.map(([, { worker }]) => worker.terminate()));
  }

  #start(destination: string): Running {
    const { folder, start, memoryMb = MEMORY_MB } = this.#options;
    const worker = start({ folder, destination }, { maxOldGenerationSizeMb: memoryMb });
    const running: Running = { worker, isReady: false, waiting: new Map(), idle: undefined };
    this.#running.set(destination, running);
    worker.on("message", (note: ThreadNote) => this.#take(destination, running, note));
    worker.on("error", (error) => this.#end(destination, running, `It has stopped: ${error.message}`));
    worker.on("exit", (code) => this.#end(destination, running, `It has ended with code ${code}.`));
    return running;
  }

  #take(destination: string, running: Running, note: ThreadNote): void {
    if (note.kind === "tokens") {
      this.#tokenListeners.get(note.connectorId)?.(note.tokens);
      return;
    }
    running.isReady = true;
    const call = running.waiting.get(note.id);
    if (!call) return;
    running.waiting.delete(note.id);
    clearTimeout(call.timer);
    if (running.waiting.size === 0) this.#endWhenIdle(destination, running);
    if (note.kind === "answer") call.resolve(note.output);
    else call.reject(new DestinationFailure(note.outcome));
  }

  #endWhenIdle(destination: string, running: Running): void {
    running.idle = setTimeout(
      () => this.#end(destination, running, "Nobody uses it."),
      this.#options.idleMs ?? IDLE_MS,
    );
    running.idle.unref();
  }

  #end(destination: string, running: Running, reason: string): void {
    if (this.#running.get(destination) === running) this.#running.delete(destination);
    clearTimeout(running.idle);
    for (const { reject, timer } of running.waiting.values()) {
      clearTimeout(timer);
      reject(new DestinationStopped(`The destination "${destination}" was interrupted. ${reason}`));
    }
    running.waiting.clear();
    void running.worker.terminate();
  }
}
