import { type FlowControl, HOUR_MS } from "@muster/protocol";
import { ConfigurationError } from "../errors/configuration-error.js";
import { RateLimitError } from "../errors/rate-limit-error.js";
import { ReconciliationError } from "../errors/reconciliation-error.js";
import type { NotificationOptions } from "./notification-options.js";

/** The flow control after a success when the handler set none. */
export function nextFlow({ maxSize, maxTime }: NotificationOptions): FlowControl {
  return {
    type: "next",
    ...(maxSize === undefined ? {} : { size: maxSize }),
    ...(maxTime === undefined ? {} : { in_time: maxTime }),
  };
}

const RETRY_MS = 1_000;
// Reconciliation takes longer than most failures. Muster waits longer after each further failure.
const RECONCILE_MS = 10_000;

/** The flow control after a failure of the handler: when Muster sends the same messages again. */
export function retryFlow(error: unknown, nowMs: number): FlowControl {
  // The hourly retry finds a change outside the settings, such as a right that the third party has granted.
  if (error instanceof ConfigurationError) return { type: "retry", in: HOUR_MS, until: "ship:update" };
  return { type: "retry", in: waitAfter(error, nowMs) };
}

function waitAfter(error: unknown, nowMs: number): number {
  if (error instanceof RateLimitError && error.clearsAt) return Math.max(RETRY_MS, error.clearsAt.getTime() - nowMs);
  return error instanceof ReconciliationError ? RECONCILE_MS : RETRY_MS;
}

/**
 * The `Retry-After` of the answer to a single notification, in seconds, because that answer cannot carry flow control.
 * Undefined when the time is not known.
 */
export function retryAfterSeconds(error: unknown, nowMs: number): number | undefined {
  if (!(error instanceof RateLimitError && error.clearsAt)) return undefined;
  return Math.ceil(waitAfter(error, nowMs) / 1_000);
}
