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
  // A change that the settings do not show, such as a right granted by the third party, is found after the hour.
  if (error instanceof ConfigurationError) return { type: "retry", in: HOUR_MS, until: "ship:update" };
  return { type: "retry", in: waitAfter(error, nowMs) };
}

function waitAfter(error: unknown, nowMs: number): number {
  if (error instanceof RateLimitError && error.clearsAt) return Math.max(RETRY_MS, error.clearsAt.getTime() - nowMs);
  return error instanceof ReconciliationError ? RECONCILE_MS : RETRY_MS;
}

/**
 * The seconds that the answer to a single notification asks to wait: its flow control cannot be told. Undefined when
 * nothing is known about the time.
 */
export function retryAfterSeconds(error: unknown, nowMs: number): number | undefined {
  if (!(error instanceof RateLimitError && error.clearsAt)) return undefined;
  return Math.ceil(waitAfter(error, nowMs) / 1_000);
}
