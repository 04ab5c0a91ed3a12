import { asClientError, type ClientError } from "../client-error.js";
import { backoffMs, retryAfterMs, wait } from "../http/backoff.js";
import { exchange, type HttpAnswer } from "../http/exchange.js";
import type { Destination } from "./destination.js";
import { encodeBatch } from "./encode-batch.js";
import type { PendingEntry } from "./pending-entry.js";
import { readVerdicts, type Verdicts } from "./read-verdicts.js";

const TOO_LARGE = 413;

// 408 and 429 ask the client to try again later, as every 5xx does.
const TRY_AGAIN_STATUSES = new Set([408, 425, 429]);

/** Sends the entries as one batch, repeats it after failures, and settles the promise of every entry. Never rejects. */
export async function deliverBatch(destination: Destination, entries: PendingEntry[]): Promise<void> {
  const { batching, logger } = destination;
  for (let attempt = 1; ; attempt += 1) {
    const outcome = await attemptDelivery(destination, entries);
    if (outcome.kind === "answered") return settle(entries, outcome.verdicts);
    if (outcome.kind === "too_large" && entries.length > 1) return deliverHalves(destination, entries);
    const { error } = outcome;
    const report = { entries: entries.length, attempt, code: error.code, reason: error.message };
    if (outcome.kind !== "try_again" || attempt >= batching.maxAttempts) {
      logger.error("client.batch.failed", report);
      for (const entry of entries) entry.abandon(error);
      return;
    }
    const waitMs = outcome.retryAfterMs ?? backoffMs(attempt);
    logger.warn("client.batch.retry", { ...report, waitMs });
    await wait(waitMs);
  }
}

type Outcome =
  | { kind: "answered"; verdicts: Verdicts }
  | { kind: "try_again"; error: ClientError; retryAfterMs?: number | undefined }
  | { kind: "too_large"; error: ClientError }
  | { kind: "refused"; error: ClientError };

async function attemptDelivery(destination: Destination, entries: PendingEntry[]): Promise<Outcome> {
  const { url, batching } = destination;
  let answer: HttpAnswer;
  try {
    const { body, headers } = await encodeBatch(entries, batching.gzip, Date.now());
    answer = await exchange({
      url,
      method: "POST",
      headers: { ...destination.headers, ...headers },
      body,
      timeoutMs: batching.timeoutMs,
    });
  } catch (cause) {
    return { kind: "try_again", error: asClientError(cause) };
  }
  const verdicts = readVerdicts(answer);
  if (!(verdicts instanceof Error)) return { kind: "answered", verdicts };
  if (answer.status === TOO_LARGE) return { kind: "too_large", error: verdicts };
  if (answer.status >= 500 || TRY_AGAIN_STATUSES.has(answer.status)) {
    return { kind: "try_again", error: verdicts, retryAfterMs: retryAfterMs(answer.headers, Date.now()) };
  }
  return { kind: "refused", error: verdicts };
}

/** The gateway's limits may be lower than ours: the batch is halved until it fits. The order is kept. */
async function deliverHalves(destination: Destination, entries: PendingEntry[]): Promise<void> {
  const middle = Math.ceil(entries.length / 2);
  await deliverBatch(destination, entries.slice(0, middle));
  await deliverBatch(destination, entries.slice(middle));
}

function settle(entries: PendingEntry[], { refused, others }: Verdicts): void {
  entries.forEach((entry, index) => {
    const verdict = refused.get(index) ?? others;
    if (verdict instanceof Error) entry.refuse(verdict);
    else entry.accept(verdict);
  });
}
