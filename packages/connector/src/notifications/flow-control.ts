import type { FlowControl } from "@muster/protocol";
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
// These errors last until somebody changes the settings or reconciles the data, so the waits are longer.
const RECONCILE_MS = 10_000;
const RECONFIGURE_MS = 60_000;

/** The flow control after a failure of the handler: when Muster sends the same messages again. */
export function retryFlow(error: unknown, nowMs: number): FlowControl {
  return { type: "retry", in: waitAfter(error, nowMs) };
}

function waitAfter(error: unknown, nowMs: number): number {
  if (error instanceof RateLimitError && error.clearsAt) return Math.max(RETRY_MS, error.clearsAt.getTime() - nowMs);
  if (error instanceof ConfigurationError) return RECONFIGURE_MS;
  if (error instanceof ReconciliationError) return RECONCILE_MS;
  return RETRY_MS;
}
