import { HOUR_MS, isObject, reasonOf } from "@muster/protocol";
import { LRUCache } from "lru-cache";
import type { Context } from "../context/context.js";
import type { ContextFactory } from "../context/context-factory.js";
import { readLocation } from "../helpers/handle-extract.js";
import { runJob } from "../jobs/run-job.js";
import { enqueue } from "../queue/enqueue.js";
import type { QueueAdapter } from "../queue/queue-adapter.js";
import { type Credentials, digestOf } from "../trust/credentials.js";
import type { TrustedOrganizations } from "../trust/trusted-organizations.js";

/** A call about an extract, as it can be stored. */
export interface ExtractCall {
  /** The body of Muster's call. */
  body: unknown;
  /** The extracted segment, for an extract that the connector asked for. */
  segmentId: string | undefined;
  /** Whether the connector asked for it. Other extracts were chosen by a person. */
  isRequested: boolean;
}

export type ExtractHandler = (ctx: Context, call: ExtractCall) => Promise<void>;

interface ExtractJob extends ExtractCall {
  path: string;
}

export interface ExtractsOptions {
  factory: ContextFactory;
  queue: QueueAdapter;
  organizations: TrustedOrganizations;
}

const QUEUE = "extracts";
const JOB = "extract";
// Muster repeats a call for a day, in the end twelve hours apart.
const REMEMBER_MS = 36 * HOUR_MS;
const MAX_REMEMBERED = 10_000;

/**
 * Runs the handlers of extracts, and decides when Muster's call about an extract may be acknowledged: once the extract
 * is in a durable queue, or else once it has been handled completely. Muster repeats a call that is not acknowledged.
 */
export class Extracts {
  readonly #factory: ContextFactory;
  readonly #queue: QueueAdapter;
  readonly #organizations: TrustedOrganizations;
  readonly #handlers = new Map<string, ExtractHandler>();
  readonly #running = new Map<string, Promise<void>>();
  // With `max` it would take the memory of all of them at once.
  readonly #handled = new LRUCache<string, true>({
    maxSize: MAX_REMEMBERED,
    sizeCalculation: () => 1,
    ttl: REMEMBER_MS,
  });

  constructor({ factory, queue, organizations }: ExtractsOptions) {
    this.#factory = factory;
    this.#queue = queue;
    this.#organizations = organizations;
  }

  /** Sets the handler of an endpoint with a fixed path, by which a job in the queue names it. */
  register(path: string, handler: ExtractHandler): void {
    this.#handlers.set(path, handler);
  }

  /** Handles the extracts in the queue, also those that a process before this one left. */
  async startWorker(): Promise<void> {
    if (!this.#queue.isDurable || this.#handlers.size === 0) return;
    const jobs = { [JOB]: (ctx: Context, job: ExtractJob) => this.#handlerOf(job.path)(ctx, job) };
    try {
      await this.#queue.process(QUEUE, (job) => runJob(this.#factory, jobs, job, { isBatch: true }));
    } catch (error) {
      process.emitWarning(`The queue of extracts cannot be read: ${reasonOf(error)}`, { code: "MUSTER_QUEUE" });
    }
  }

  /** Resolves when the call may be acknowledged. Rejects when the extract could not be queued or handled. */
  async accept(path: string, ctx: Context, call: ExtractCall, handle: ExtractHandler): Promise<void> {
    const credentials = ctx.client.configuration();
    // A wrong address is refused here, because a job in the queue has no caller to answer.
    readLocation(call.body, (url) => this.#organizations.locate(url, credentials.organization));
    if (this.#queue.isDurable && this.#handlers.has(path)) {
      const job: ExtractJob = { ...call, path };
      return enqueue(this.#queue, pick(credentials), JOB, job, { queueName: QUEUE });
    }
    return this.#handleOnce(keyOf(path, credentials, call), () => handle(ctx, call));
  }

  /**
   * Handles an extract once, because a large extract takes longer than Muster waits for an answer. A call that is repeated
   * meanwhile waits for the running work. A call that is repeated afterwards is acknowledged at once.
   */
  #handleOnce(key: string, handle: () => Promise<void>): Promise<void> {
    if (this.#handled.has(key)) return Promise.resolve();
    const known = this.#running.get(key);
    if (known) return known;
    const work = handle()
      .then(() => void this.#handled.set(key, true))
      .finally(() => this.#running.delete(key));
    this.#running.set(key, work);
    return work;
  }

  #handlerOf(path: string): ExtractHandler {
    const handler = this.#handlers.get(path);
    if (!handler) throw new Error(`There is no endpoint ${path} for the extract.`);
    return handler;
  }
}

/** Equal for all calls about one extract: made from the id of its job or, without one, from the address of its file. */
function keyOf(path: string, credentials: Credentials, { body, segmentId, isRequested }: ExtractCall): string {
  const { job_id: jobId, url } = isObject(body) ? body : {};
  return JSON.stringify([path, digestOf(credentials), jobId ?? url, segmentId, isRequested]);
}

function pick({ id, organization, secret }: Credentials): Credentials {
  return { id, organization, secret };
}
