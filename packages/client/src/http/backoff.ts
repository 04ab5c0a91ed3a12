import type { IncomingHttpHeaders } from "node:http";

const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 30_000;

// A server that asks for more is mistaken or gone for the day; the attempts must come to an end either way.
const LONGEST_RETRY_AFTER_MS = 60_000;

/**
 * How long to wait before trying again after `failures` failures: 250 ms, doubling up to 30 s, of which a random half
 * is taken off so that clients that failed together do not come back together.
 */
export function backoffMs(failures: number, random: () => number = Math.random): number {
  const full = Math.min(FIRST_WAIT_MS * 2 ** (failures - 1), LONGEST_WAIT_MS);
  return full * (1 - random() / 2);
}

/** The wait the server asks for with `Retry-After`, in seconds or as a date. */
export function retryAfterMs(headers: IncomingHttpHeaders, nowMs: number): number | undefined {
  const value = headers["retry-after"]?.trim();
  if (!value) return undefined;
  const waitMs = /^\d+(\.\d+)?$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - nowMs;
  return Number.isNaN(waitMs) ? undefined : Math.min(Math.max(waitMs, 0), LONGEST_RETRY_AFTER_MS);
}

/** A wait that keeps the process alive: somebody's promise hangs on what comes after it. */
export function wait(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
