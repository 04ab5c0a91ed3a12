import type { Credentials } from "../trust/credentials.js";
import { DEFAULT_QUEUE, type EnqueueOptions, type QueueAdapter } from "./queue-adapter.js";

export async function enqueue(
  queue: QueueAdapter,
  credentials: Credentials,
  name: string,
  payload: unknown,
  options: EnqueueOptions = {},
): Promise<void> {
  const { ttl, delay = 0, queueName = DEFAULT_QUEUE, priority } = options;
  const delayMs = delay instanceof Date ? delay.getTime() - Date.now() : delay;
  checkOptions({ ttl, delayMs, queueName, priority });
  const job = { name, payload, credentials, ttlMs: ttl };
  await queue.add(queueName, job, { delayMs: Math.max(0, delayMs), priority });
}

// The largest priority that BullMQ takes.
const MAX_PRIORITY = 2 ** 21;

/** Refuses values that a queue would accept, only to run the job at once, never, or before all others. */
function checkOptions(given: { ttl: unknown; delayMs: unknown; queueName: unknown; priority: unknown }): void {
  const { ttl, delayMs, queueName, priority } = given;
  if (!Number.isFinite(delayMs)) throw new Error("The option `delay` must be milliseconds or a valid date.");
  if (ttl !== undefined && !(Number.isFinite(ttl) && Number(ttl) > 0)) {
    throw new Error("The option `ttl` must be milliseconds above 0.");
  }
  if (
    priority !== undefined &&
    !(Number.isInteger(priority) && Number(priority) >= 0 && Number(priority) <= MAX_PRIORITY)
  ) {
    throw new Error(`The option \`priority\` must be a whole number from 0 to ${MAX_PRIORITY}.`);
  }
  if (typeof queueName !== "string" || queueName === "") throw new Error("The option `queueName` must be a name.");
}
