import { Worker } from "node:worker_threads";
import { ENGINE_FAILED, TOO_MUCH_MEMORY, TOOK_TOO_LONG } from "../script-run.js";
import { startClock } from "./clock.js";
import { NO_RESULTS, type ScriptAnswer, type ScriptTask, type ThreadReady } from "./thread-messages.js";

// The file exists only in a build. This address is right for the sources and for the build.
const START = new URL("../../dist/script-thread.js", import.meta.url);
// The engine ends a script itself when it can, and names the line. After this time more the thread is ended.
const GRACE_MS = 150;
// For reading the results. The memory of scripts is not part of it: the engine has WebAssembly memory.
const HEAP = { maxOldGenerationSizeMb: 96, maxYoungGenerationSizeMb: 16 };

/**
 * A thread that runs scripts, one at a time. A script that does not end is ended from outside, with its thread. The thread
 * keeps the process alive only while it runs a script.
 */
export class KillableThread {
  readonly #worker: Worker;
  readonly #ready: Promise<ThreadReady>;
  #isAlive = true;

  constructor() {
    // Without the environment of the process, which has secrets: a script that breaks out of the engine finds none there.
    this.#worker = new Worker(START, { name: "script", env: {}, execArgv: [], resourceLimits: HEAP });
    this.#worker.unref();
    this.#ready = this.#nextMessage<ThreadReady>();
    // The script that the thread was started for reports the failure.
    this.#ready.catch(() => undefined);
    const died = () => {
      this.#isAlive = false;
    };
    this.#worker.on("error", died).on("exit", died);
  }

  /** Whether it can run another script. */
  get isAlive(): boolean {
    return this.#isAlive;
  }

  /** Runs a script. Rejects when the thread cannot start. */
  async run(task: ScriptTask): Promise<ScriptAnswer> {
    this.#worker.ref();
    const { systemId } = await this.#ready;
    const startedAt = performance.now();
    const answer = this.#nextMessage<ScriptAnswer>();
    let wasLate = false;
    const stopWatching = watch(startClock(systemId, task.timeMs + GRACE_MS), () => {
      wasLate = true;
      void this.end();
    });
    this.#worker.postMessage(task);
    try {
      return await answer;
    } catch (error) {
      const timeMs = performance.now() - startedAt;
      if (wasLate) return ended(TOOK_TOO_LONG, timeMs);
      return ended(isOutOfMemory(error) ? TOO_MUCH_MEMORY : ENGINE_FAILED, timeMs);
    } finally {
      stopWatching();
      this.#worker.unref();
    }
  }

  /** Ends the thread at once, in the middle of a script. */
  async end(): Promise<void> {
    this.#isAlive = false;
    await this.#worker.terminate();
  }

  /** Rejects when the thread ends first. */
  #nextMessage<Message>(): Promise<Message> {
    const worker = this.#worker;
    return new Promise((resolve, reject) => {
      const failed = (cause: unknown) => settle(() => reject(new Error("A thread for scripts has ended.", { cause })));
      const received = (message: Message) => settle(() => resolve(message));
      function settle(finish: () => void): void {
        worker.off("message", received).off("error", failed).off("exit", failed);
        finish();
      }
      worker.on("message", received).on("error", failed).on("exit", failed);
    });
  }
}

/** Calls back when the time is up. Returns a function that stops the clock. */
function watch(leftMs: () => number, onOver: () => void): () => void {
  let timer = setTimeout(look, leftMs());
  function look(): void {
    const left = leftMs();
    if (left <= 0) onOver();
    else timer = setTimeout(look, left);
  }
  return () => clearTimeout(timer);
}

function ended(error: string, timeMs: number): ScriptAnswer {
  return { results: NO_RESULTS, error, line: undefined, timeMs };
}

function isOutOfMemory(error: unknown): boolean {
  const { cause } = error as { cause?: { code?: unknown } };
  return cause?.code === "ERR_WORKER_OUT_OF_MEMORY";
}
