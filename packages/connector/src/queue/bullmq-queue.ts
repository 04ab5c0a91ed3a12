import type { ConnectionOptions, Queue, Worker } from "bullmq";
import { JOB_RETRIES, type JobRunner, type QueueAdapter, type QueuedJob } from "./queue-adapter.js";

export interface BullmqQueueOptions {
  /** How to reach Redis: `ConnectionOptions` of BullMQ. Projects without that package must be able to compile this type. */
  connection: object;
  /** The prefix of every key in Redis. Default `muster`. */
  prefix?: string;
  /** Jobs run at once by this process, for each queue. Default 1. */
  concurrency?: number;
  /** Milliseconds before the first retry; every further wait is twice as long. Default 1,000. */
  backoffMs?: number;
}

// Failed jobs are kept for two weeks, so that a person can look at them.
const KEEP_FAILED_SECONDS = 14 * 86_400;

/**
 * Keeps jobs in Redis. Needs the package `bullmq`.
 *
 * @example
 * new Connector({ queue: bullmqQueue({ connection: { url: "redis://127.0.0.1:6379" } }) });
 */
export function bullmqQueue(options: BullmqQueueOptions): QueueAdapter {
  return new BullmqQueue(options);
}

class BullmqQueue implements QueueAdapter {
  readonly isDurable = true;
  readonly #options: BullmqQueueOptions;
  readonly #queues = new Map<string, Promise<Queue<QueuedJob>>>();
  readonly #workers: Worker<QueuedJob>[] = [];

  constructor(options: BullmqQueueOptions) {
    this.#options = options;
  }

  /** BullMQ checks it. */
  get #connection(): ConnectionOptions {
    return this.#options.connection as ConnectionOptions;
  }

  async add(queueName: string, job: QueuedJob, options: { delayMs: number; priority: number | undefined }) {
    const queue = await this.#open(queueName);
    await queue.add(job.name, job, {
      delay: options.delayMs,
      ...(options.priority === undefined ? {} : { priority: options.priority }),
      attempts: 1 + JOB_RETRIES,
      backoff: { type: "exponential", delay: this.#options.backoffMs ?? 1_000 },
      removeOnComplete: true,
      removeOnFail: { age: KEEP_FAILED_SECONDS },
    });
  }

  async process(queueName: string, run: JobRunner): Promise<void> {
    const { Worker } = await loadBullmq();
    const { prefix = "muster", concurrency = 1 } = this.#options;
    const worker = new Worker<QueuedJob>(queueName, ({ data }) => run(data), {
      connection: this.#connection,
      prefix,
      concurrency,
      // A job whose process died is retried as often as a job that failed.
      maxStalledCount: JOB_RETRIES,
    });
    // BullMQ reconnects by itself. Without a listener, the event would end the process.
    worker.on("error", warn);
    this.#workers.push(worker);
    await worker.waitUntilReady();
  }

  async close(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.close()));
    await Promise.all([...this.#queues.values()].map(async (queue) => (await queue).close()));
  }

  #open(name: string): Promise<Queue<QueuedJob>> {
    const known = this.#queues.get(name);
    if (known) return known;
    const { prefix = "muster" } = this.#options;
    const opened = loadBullmq().then(({ Queue }) => {
      const queue = new Queue<QueuedJob>(name, { connection: this.#connection, prefix });
      queue.on("error", warn);
      return queue;
    });
    this.#queues.set(name, opened);
    return opened;
  }
}

async function loadBullmq(): Promise<typeof import("bullmq")> {
  try {
    return await import("bullmq");
  } catch (cause) {
    throw new Error("The queue needs the package bullmq: npm install bullmq.", { cause });
  }
}

function warn(error: Error): void {
  process.emitWarning(`The job queue reports: ${error.message}`, { code: "MUSTER_QUEUE" });
}
