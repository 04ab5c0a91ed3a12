import type { Worker } from "node:worker_threads";
import type { OAuthTokens } from "../package/definition.js";
import type { CallName, ThreadCalls, ThreadData, ThreadNote, ThreadRequest } from "./calls.js";
import type { Outcome } from "./outcome.js";
import { heapLimitMb, watchHeap } from "./thread-memory.js";

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
  /** Calls of other connectors were in the thread, and one of them may be to blame. */
  readonly wasShared: boolean;

  constructor(message: string, wasShared: boolean) {
    super(message);
    this.wasShared = wasShared;
  }
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

interface Waiting {
  connectorId: string;
  resolve(output: unknown): void;
  reject(error: Error): void;
  timer: NodeJS.Timeout;
}

interface Running {
  destination: string;
  /** The name of the thread: the destination, or the destination and the only connector that uses it. */
  key: string;
  worker: Worker;
  /** It has loaded its code, and has answered a call. */
  isReady: boolean;
  waiting: Map<number, Waiting>;
  idle: NodeJS.Timeout | undefined;
  stopWatching(): void;
}

const CALL_MS = 15_000;
/** How much longer the first calls may take, because the code is loaded meanwhile. */
const START_MS = 8_000;
const IDLE_MS = 10 * 60_000;
/** The largest destination takes 60 MB. */
const MEMORY_MB = 192;
/** The most connectors that have a thread for themselves. The one that has had it longest shares again. */
const MAX_ALONE = 50;

/**
 * Each destination has a thread of its own, from its first call on. One that hangs, throws where nothing catches it, or uses up its
 * memory loses its thread and nothing else; the next call starts another.
 *
 * All connectors of a destination share its thread until it is interrupted. Those whose calls were in it then get a thread each,
 * for as long as they use it: so a connector that interrupts it again is the only one whose calls fail.
 */
export class DestinationThreads {
  readonly #options: DestinationThreadsOptions;
  readonly #running = new Map<string, Running>();
  /** The keys of threads that one connector has for itself, the oldest first. */
  readonly #alone = new Set<string>();
  readonly #tokenListeners = new Map<string, (tokens: OAuthTokens) => void>();
  #lastId = 0;

  constructor(options: DestinationThreadsOptions) {
    this.#options = options;
  }

  /** How many threads run. */
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
    const { connectorId } = input.account;
    const ownKey = keyOf(destination, connectorId);
    const key = this.#alone.has(ownKey) ? ownKey : destination;
    const running = this.#running.get(key) ?? this.#start(destination, key);
    clearTimeout(running.idle);
    this.#lastId += 1;
    const id = this.#lastId;
    const { callMs = CALL_MS } = this.#options;
    const longestMs = callMs + (running.isReady ? 0 : START_MS);
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#end(running, `It did not finish within ${longestMs / 1_000} seconds, and was stopped.`);
      }, longestMs);
      // The thread answers with the output that belongs to the name.
      running.waiting.set(id, { connectorId, resolve: resolve as (output: unknown) => void, reject, timer });
      running.worker.postMessage({ id, name, input, callMs } satisfies ThreadRequest);
    });
  }

  async close(): Promise<void> {
    const all = [...this.#running.values()];
    for (const running of all) this.#end(running, "The process is stopping.");
    await Promise.all(all.map(({ worker }) => worker.terminate()));
  }

  #start(destination: string, key: string): Running {
    const { folder, start, memoryMb = MEMORY_MB } = this.#options;
    const worker = start({ folder, destination, memoryMb }, { maxOldGenerationSizeMb: heapLimitMb(memoryMb) });
    const running: Running = {
      destination,
      key,
      worker,
      isReady: false,
      waiting: new Map(),
      idle: undefined,
      stopWatching: watchHeap(
        worker,
        memoryMb,
        () => running.waiting.size > 0,
        () => this.#end(running, "It has used up its memory."),
      ),
    };
    this.#running.set(key, running);
    worker.on("message", (note: ThreadNote) => this.#take(running, note));
    worker.on("error", (error) => this.#end(running, `It has stopped: ${error.message}`));
    worker.on("exit", (code) => this.#end(running, `It has ended with code ${code}.`));
    return running;
  }

  #take(running: Running, note: ThreadNote): void {
    if (note.kind === "tokens") {
      this.#tokenListeners.get(note.connectorId)?.(note.tokens);
      return;
    }
    running.isReady = true;
    const call = running.waiting.get(note.id);
    if (!call) return;
    running.waiting.delete(note.id);
    clearTimeout(call.timer);
    if (running.waiting.size === 0) this.#endWhenIdle(running);
    if (note.kind === "answer") call.resolve(note.output);
    else call.reject(new DestinationFailure(note.outcome));
  }

  #endWhenIdle(running: Running): void {
    running.idle = setTimeout(() => {
      this.#alone.delete(running.key);
      this.#end(running, "Nobody uses it.");
    }, this.#options.idleMs ?? IDLE_MS);
    running.idle.unref();
  }

  #end(running: Running, reason: string): void {
    const { destination, key, waiting, worker } = running;
    if (this.#running.get(key) === running) this.#running.delete(key);
    clearTimeout(running.idle);
    running.stopWatching();
    const connectors = new Set([...waiting.values()].map(({ connectorId }) => connectorId));
    for (const connectorId of connectors) this.#keepAlone(keyOf(destination, connectorId));
    for (const { reject, timer } of waiting.values()) {
      clearTimeout(timer);
      const message = `The destination "${destination}" was interrupted. ${reason}`;
      reject(new DestinationStopped(message, connectors.size > 1));
    }
    waiting.clear();
    void worker.terminate();
  }

  #keepAlone(key: string): void {
    this.#alone.add(key);
    const [oldest] = this.#alone;
    if (this.#alone.size > MAX_ALONE && oldest !== undefined) this.#alone.delete(oldest);
  }
}

function keyOf(destination: string, connectorId: string): string {
  return `${destination} ${connectorId}`;
}
