import { Worker } from "node:worker_threads";
import { Refusal } from "@muster/protocol";
import type { Logger } from "pino";
import { ownBytes } from "../../../runtime/threads/own-bytes.js";
import type { AdmittedBody, BodyContext } from "../admit-body.js";
import {
  type AdmissionThreadData,
  type BodyAnswer,
  type BodyMessage,
  type StartedMessage,
  unpackAnswer,
} from "./thread-messages.js";
import { WaitingBodies, type WaitingItem } from "./waiting-bodies.js";

export interface AdmissionThreadsOptions extends AdmissionThreadData {
  count: number;
  /** The built file that a thread runs. */
  start: URL;
  /** Options of Node for the threads. By default they have those of the process. */
  execArgv?: string[];
  logger: Logger;
  /** Called when a thread has started, with the number by which the system knows it. */
  onStarted(threadId: number | undefined): void;
}

interface Job extends WaitingItem {
  body: Buffer;
  context: BodyContext;
  resolve(admitted: AdmittedBody): void;
  reject(error: unknown): void;
}

interface Thread {
  worker: Worker;
  startedAt: number;
  /** The bodies that are in the thread, by their id. */
  jobs: Map<number, Job>;
}

// Bodies in one thread take turns while they are read, so that a body which takes seconds delays no other for long. Few
// of them are of one organization.
const JOBS_AT_ONCE = 8;
const JOBS_OF_ONE = 2;
const MAX_WAITING = { count: 1_000, bytes: 64 * 1024 * 1024 };
/** A thread that ends sooner would end again at once. */
const SHORT_LIFE_MS = 1_000;
// Most objects die young: an entry is printed as soon as it is checked. An entry has at most a megabyte.
const RESOURCE_LIMITS = { maxYoungGenerationSizeMb: 48, maxOldGenerationSizeMb: 256 };

/**
 * Reads the bodies of gateway batches on threads of their own. A batch is acknowledged after that, by the main thread,
 * so a thread that ends loses nothing that was acknowledged: the senders of the bodies in it are told to send again.
 */
export class AdmissionThreads {
  readonly #options: AdmissionThreadsOptions;
  readonly #waiting = new WaitingBodies<Job>(MAX_WAITING);
  readonly #threads = new Set<Thread>();
  readonly #restarts = new Set<NodeJS.Timeout>();
  #lastId = 0;
  #isStarted = false;
  #isClosed = false;

  constructor(options: AdmissionThreadsOptions) {
    this.#options = options;
  }

  /** Starts the threads. The first body starts them too. */
  start(): void {
    if (this.#isStarted) return;
    this.#isStarted = true;
    for (let number = 0; number < this.#options.count; number++) this.#startThread();
  }

  /** Reads a body. Its bytes are given away. Refuses it when too many wait. */
  admit(organizationId: string, body: Buffer, context: BodyContext): Promise<AdmittedBody> {
    this.start();
    return new Promise((resolve, reject) => {
      const job = { organizationId, bytes: body.length, body, context, resolve, reject };
      if (this.#threads.size === 0) {
        reject(tryAgain());
        return;
      }
      for (const dropped of this.#waiting.add(job)) {
        dropped.reject(new Refusal("unavailable", "Too much is waiting to be checked.", { retryAfter: 2 }));
      }
      this.#giveOut();
    });
  }

  /** Ends the threads. Bodies that are still in them are refused. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const timer of this.#restarts) clearTimeout(timer);
    await Promise.all([...this.#threads].map(({ worker }) => worker.terminate()));
  }

  /** Ends one thread at once, as an error in it would. Returns how many bodies were in it. */
  async endOne(): Promise<number> {
    const [thread] = [...this.#threads].sort((a, b) => b.jobs.size - a.jobs.size);
    const count = thread?.jobs.size ?? 0;
    await thread?.worker.terminate();
    return count;
  }

  #startThread(): void {
    const { start, execArgv, brandWord, limits, logger, onStarted } = this.#options;
    const workerData: AdmissionThreadData = { brandWord, limits };
    const options = { name: "admission", workerData, resourceLimits: RESOURCE_LIMITS };
    const worker = new Worker(start, { ...options, ...(execArgv ? { execArgv } : {}) });
    const thread: Thread = { worker, startedAt: performance.now(), jobs: new Map() };
    this.#threads.add(thread);
    worker.once("message", ({ threadId }: StartedMessage) => {
      onStarted(threadId);
      worker.on("message", (answer: BodyAnswer) => this.#answered(thread, answer));
    });
    worker.on("error", (error) => logger.error({ err: error }, "an admission thread failed"));
    worker.on("exit", () => this.#ended(thread));
    worker.unref();
  }

  /** Gives waiting bodies to threads that have room. */
  #giveOut(): void {
    while (this.#giveOne());
  }

  /** Gives one body to the thread with the fewest that may take one. Returns false when none may. */
  #giveOne(): boolean {
    const free = [...this.#threads].filter(({ jobs }) => jobs.size < JOBS_AT_ONCE);
    for (const thread of free.sort((a, b) => a.jobs.size - b.jobs.size)) {
      const job = this.#waiting.take((organizationId) => countOf(thread, organizationId) < JOBS_OF_ONE);
      if (!job) continue;
      const id = ++this.#lastId;
      thread.jobs.set(id, job);
      const body = ownBytes(job.body);
      const message: BodyMessage = { id, body, context: job.context };
      thread.worker.postMessage(message, [body.buffer]);
      return true;
    }
    return false;
  }

  #answered({ jobs }: Thread, answer: BodyAnswer): void {
    const job = jobs.get(answer.id);
    jobs.delete(answer.id);
    if ("admitted" in answer) job?.resolve(unpackAnswer(answer.admitted));
    else if ("refusal" in answer) {
      const { code, message, details } = answer.refusal;
      job?.reject(new Refusal(code, message, { details }));
    } else job?.reject(Object.assign(new Error("A batch could not be read."), { stack: answer.fault }));
    this.#giveOut();
  }

  #ended(thread: Thread): void {
    this.#threads.delete(thread);
    for (const job of thread.jobs.values()) job.reject(tryAgain());
    if (this.#isClosed || this.#threads.size === 0) for (const job of this.#waiting.clear()) job.reject(tryAgain());
    if (this.#isClosed) return;
    this.#options.logger.error({ bodies: thread.jobs.size }, "an admission thread ended and is replaced");
    if (performance.now() - thread.startedAt > SHORT_LIFE_MS) {
      this.#startThread();
      return;
    }
    const timer = setTimeout(() => {
      this.#restarts.delete(timer);
      this.#startThread();
    }, SHORT_LIFE_MS).unref();
    this.#restarts.add(timer);
  }
}

function countOf({ jobs }: Thread, organizationId: string): number {
  let count = 0;
  for (const job of jobs.values()) if (job.organizationId === organizationId) count += 1;
  return count;
}

function tryAgain(): Refusal {
  return new Refusal("unavailable", "The batch could not be checked. Send it again.", { retryAfter: 1 });
}
