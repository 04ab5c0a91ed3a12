import { reasonOf } from "@muster/protocol";
import type { Context } from "../context/context.js";
import type { ContextFactory, RequestDetails } from "../context/context-factory.js";
import type { QueuedJob } from "../queue/queue-adapter.js";

/** Runs a job of the queue, with its own context. Throw, or reject, to have the job tried again. */
export type JobHandler = (ctx: Context, payload: never) => unknown;

/** Runs a job of the queue with a new context. Rejects when the job fails or takes too long. */
export async function runJob(
  factory: ContextFactory,
  jobs: Readonly<Record<string, JobHandler>>,
  { name, payload, credentials, ttlMs }: QueuedJob,
  details: RequestDetails = {},
): Promise<void> {
  const ctx = await factory.create(credentials, details);
  const handler = jobs[name];
  const startedAt = performance.now();
  try {
    if (!handler) throw new Error(`There is no job called "${name}".`);
    ctx.metric.increment(`ship.job.${name}.start`);
    // The payload has the type that the code which enqueued the job gave it.
    await within(ttlMs, Promise.resolve(handler(ctx, payload as never)));
  } catch (error) {
    ctx.metric.increment(`ship.job.${name}.error`);
    ctx.client.logger.error("connector.job.error", { job: name, error: reasonOf(error) });
    throw error;
  } finally {
    ctx.metric.value(`ship.job.${name}.duration`, performance.now() - startedAt);
  }
}

// A Node timer holds 31 bits. A longer delay would fire at once. No job takes so long.
const MAX_TIMER_MS = 2 ** 31 - 1;

async function within(limitMs: number | undefined, work: Promise<unknown>): Promise<void> {
  if (limitMs === undefined || limitMs > MAX_TIMER_MS) {
    await work;
    return;
  }
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`The job took longer than ${limitMs} ms.`)), limitMs);
  });
  await Promise.race([work, limit]).finally(() => clearTimeout(timer));
}
