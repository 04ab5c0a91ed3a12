import type { FlowControl } from "@muster/protocol";
import { ConfigurationError } from "../errors/configuration-error.js";
import { RateLimitError } from "../errors/rate-limit-error.js";
import { ReconciliationError } from "../errors/reconciliation-error.js";
import type { NotificationOptions } from "./notification-options.js";

/** How the rest is to come when all went well and the handler did not say. */
export function nextFlow({ maxSize, maxTime }: NotificationOptions): FlowControl {
  return {
    type: "next",
    ...(maxSize === undefined ? {} : { size: maxSize }),
    ...(maxTime === undefined ? {} : { in_time: maxTime }),
  };
}

const RETRY_MS = 1_000;
// Somebody has to do something first: change the settings, or bring both sides together.
const RECONCILE_MS = 10_000;
const RECONFIGURE_MS = 60_000;

/** When messages whose handler failed are to come again. */
export function retryFlow(error: unknown, nowMs: number): FlowControl {
  return { type: "retry", in: waitAfter(error, nowMs) };
}

function waitAfter(error: unknown, nowMs: number): number {
  if (error instanceof RateLimitError && error.clearsAt) return Math.max(RETRY_MS, error.clearsAt.getTime() - nowMs);
  if (error instanceof ConfigurationError) return RECONFIGURE_MS;
  if (error instanceof ReconciliationError) return RECONCILE_MS;
  return RETRY_MS;
}
