import type { Credentials } from "../context/credentials.js";
import { DEFAULT_QUEUE, type EnqueueOptions, type QueueAdapter } from "./queue-adapter.js";

export async function enqueue(
  queue: QueueAdapter,
  credentials: Credentials,
  name: string,
  payload: unknown,
  { ttl, delay = 0, queueName = DEFAULT_QUEUE, priority }: EnqueueOptions = {},
): Promise<void> {
  const delayMs = delay instanceof Date ? delay.getTime() - Date.now() : delay;
  const job = { name, payload, credentials, ttlMs: ttl };
  await queue.add(queueName, job, { delayMs: Math.max(0, delayMs), priority });
}
