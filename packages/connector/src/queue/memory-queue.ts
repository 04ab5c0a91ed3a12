import { reasonOf } from "@muster/protocol";
import { JOB_RETRIES, type JobRunner, type QueueAdapter, type QueuedJob } from "./queue-adapter.js";

interface WaitingJob {
  job: QueuedJob;
  priority: number;
  retriesLeft: number;
}

interface NamedQueue {
  waiting: WaitingJob[];
  run: JobRunner | undefined;
  /** How many jobs are running. */
  active: number;
}

export interface MemoryQueueOptions {
  /** Jobs run at once, for each queue. Default 1. */
  concurrency?: number;
}

// A Node timer holds 31 bits. A longer delay would fire at once.
const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * Keeps jobs in memory. They are lost when the process ends.
 *
 * @deprecated Use `bullmqQueue` wherever a lost job matters.
 */
export class MemoryQueue implements QueueAdapter {
  readonly #queues = new Map<string, NamedQueue>();
  readonly #timers = new Set<NodeJS.Timeout>();
  readonly #running = new Set<Promise<void>>();
  readonly #concurrency: number;

  constructor({ concurrency = 1 }: MemoryQueueOptions = {}) {
    this.#concurrency = Math.max(1, concurrency);
  }

  async add(queueName: string, job: QueuedJob, options: { delayMs: number; priority: number | undefined }) {
    warnOnce();
    const waiting = { job, priority: options.priority ?? 0, retriesLeft: JOB_RETRIES };
    this.#pushAfter(options.delayMs, queueName, waiting);
  }

  async process(queueName: string, run: JobRunner): Promise<void> {
    this.#queueOf(queueName).run = run;
    this.#work(queueName);
  }

  async close(): Promise<void> {
    for (const timer of this.#timers) clearTimeout(timer);
    for (const queue of this.#queues.values()) queue.run = undefined;
    await Promise.all(this.#running);
  }

  #pushAfter(delayMs: number, queueName: string, waiting: WaitingJob): void {
    if (delayMs <= 0) {
      this.#push(queueName, waiting);
      return;
    }
    const waitMs = Math.min(delayMs, MAX_TIMER_MS);
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      this.#pushAfter(delayMs - waitMs, queueName, waiting);
    }, waitMs);
    this.#timers.add(timer);
  }

  #queueOf(name: string): NamedQueue {
    const queue = this.#queues.get(name) ?? { waiting: [], run: undefined, active: 0 };
    this.#queues.set(name, queue);
    return queue;
  }

  #push(queueName: string, job: WaitingJob): void {
    const { waiting } = this.#queueOf(queueName);
    const after = waiting.findIndex(({ priority }) => priority > job.priority);
    waiting.splice(after < 0 ? waiting.length : after, 0, job);
    this.#work(queueName);
  }

  #work(queueName: string): void {
    const queue = this.#queueOf(queueName);
    const free = Math.min(this.#concurrency - queue.active, queue.waiting.length);
    for (let index = 0; index < free; index += 1) {
      queue.active += 1;
      const done = drain(queue).finally(() => {
        queue.active -= 1;
        this.#running.delete(done);
      });
      this.#running.add(done);
    }
  }
}

async function drain(queue: NamedQueue): Promise<void> {
  while (queue.run) {
    const next = queue.waiting.shift();
    if (!next) return;
    try {
      await queue.run(next.job);
    } catch (error) {
      if (next.retriesLeft > 0) queue.waiting.push({ ...next, retriesLeft: next.retriesLeft - 1 });
      else process.emitWarning(`The job "${next.job.name}" failed for good: ${reasonOf(error)}`);
    }
  }
}

let hasWarned = false;

function warnOnce(): void {
  if (hasWarned) return;
  hasWarned = true;
  process.emitWarning(
    "The in-memory queue is deprecated: its jobs are lost when the process ends. Use bullmqQueue().",
    {
      type: "DeprecationWarning",
      code: "MUSTER_MEMORY_QUEUE",
    },
  );
}
