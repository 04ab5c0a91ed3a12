import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type ResourceLimits, Worker } from "node:worker_threads";
import type { Logger } from "pino";
import type { Metrics } from "../measures/metrics.js";
import type { CommonMainCalls, CommonThreadCalls, ThreadData } from "./common-calls.js";
import { type Methods, ThreadCalls } from "./thread-calls.js";
import type { ThreadErrors } from "./thread-errors.js";
import { threadLines } from "./thread-log.js";

/** What a thread runs. */
export interface ThreadKind {
  /** Its name, also in metrics and in the log. */
  name: string;
  /** The built file that it runs, which calls `enterThread`, or a text of code. The sources have no such file: `isBuilt`. */
  start: URL | string;
  /** Memory. A thread that needs more fails. */
  limits: ResourceLimits;
  /** Options of Node. By default a thread has those of the process. */
  execArgv?: string[];
  /** The classes of errors that its callers distinguish. */
  errors?: ThreadErrors;
}

export interface StartOptions {
  /** What the thread gets when it starts. */
  data?: unknown;
  /** Functions that the thread may call. */
  own?: object;
  /**
   * Called once when the thread has ended by itself: nothing caught an error in it, or it has used up its memory. The
   * unanswered calls, so many, have failed by then.
   */
  onFailed?(error: unknown, unanswered: number): void;
}

/** A thread, as the thread that has started it sees it. */
export interface Thread<Calls extends Methods<Calls>> {
  calls: ThreadCalls<Calls>;
  /** Calls back when the thread begins to run code. */
  whenOnline(begin: () => void): void;
  /** Closes what the thread has opened, and ends it. Further calls do nothing. */
  close(): Promise<void>;
  /** Ends the thread at once. Calls that wait for an answer fail. */
  end(): Promise<void>;
}

/** Why a call got no answer: the thread has ended. */
export class ThreadEnded extends Error {
  override readonly name = "ThreadEnded";
}

/** Whether a thread can run this file. The sources are TypeScript: only a build has files that threads run. */
export function isBuilt(start: URL): boolean {
  return existsSync(fileURLToPath(start));
}

export interface ThreadsOptions {
  logLevel: string;
  /** Writes the lines of all threads. */
  logger: Logger;
  /** Counts processor time and failures of all threads, and adds their own metrics. */
  metrics: Metrics;
}

/** Starts every thread beside the main one. */
export class Threads {
  readonly logger: Logger;
  readonly #options: ThreadsOptions;

  constructor(options: ThreadsOptions) {
    this.#options = options;
    this.logger = options.logger;
  }

  /** Starts a thread, which loads its code while the caller goes on. */
  start<Calls extends Methods<Calls>>(
    kind: ThreadKind,
    { data, own = {}, onFailed }: StartOptions = {},
  ): Thread<Calls> {
    const { name, start, limits, execArgv, errors } = kind;
    const { logLevel, logger, metrics } = this.#options;
    const workerData: ThreadData<unknown> = { logLevel, data };
    const options = { name, workerData, resourceLimits: limits, eval: typeof start === "string" };
    const worker = new Worker(start, { ...options, ...(execArgv ? { execArgv } : {}) });
    // What is undone when the thread ends.
    const undo: (() => void)[] = [];
    const common: CommonMainCalls = {
      log: threadLines(logger),
      started: (threadId) => undo.push(metrics.threadTimes.add(name, threadId)),
      measures: () => undo.push(metrics.scrapes.addThread(() => thread.ask("readMetrics", []))),
    };
    const calls = new ThreadCalls<Calls>(worker, Object.assign(own, common), errors);
    // Every thread that is closed has these functions: `enterThread` adds them.
    const thread = calls as unknown as ThreadCalls<CommonThreadCalls>;
    let state: "running" | "closing" | "ended" = "running";

    function ended(cause?: unknown): void {
      state = "ended";
      for (const each of undo.splice(0)) each();
      calls.end(new ThreadEnded(`The thread "${name}" has ended.`, cause === undefined ? {} : { cause }));
    }
    function failed(error: unknown): void {
      if (state === "ended") return;
      const { unanswered } = calls;
      ended(error);
      metrics.threadFailures.inc({ thread: name });
      onFailed?.(error, unanswered);
    }
    worker.on("error", failed);
    worker.on("exit", (code) => failed(new Error(`The thread "${name}" has ended with code ${code}.`)));

    async function end(): Promise<void> {
      if (state !== "ended") ended();
      await worker.terminate();
    }
    return {
      calls,
      whenOnline: (begin) => worker.once("online", begin),
      end,
      async close() {
        if (state !== "running") return;
        state = "closing";
        await thread.ask("close", []);
        await end();
      },
    };
  }
}
