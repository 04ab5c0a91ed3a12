import type { IncomingHttpHeaders } from "node:http";

const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 30_000;

// A server may ask for a longer wait. It is not granted, so that the attempts come to an end.
const LONGEST_RETRY_AFTER_MS = 60_000;

/**
 * How long to wait before trying again after `failures` failures: 250 ms, doubling up to 30 s, minus a random part of at
 * most a half, so that clients that failed together do not all try again together.
 */
export function backoffMs(failures: number, random: () => number = Math.random): number {
  const full = Math.min(FIRST_WAIT_MS * 2 ** (failures - 1), LONGEST_WAIT_MS);
  return full * (1 - random() / 2);
}

/** The wait in milliseconds that the server asks for with `Retry-After`, which holds seconds or a date. */
export function retryAfterMs(headers: IncomingHttpHeaders, nowMs: number): number | undefined {
  const value = headers["retry-after"]?.trim();
  if (!value) return undefined;
  const waitMs = /^\d+(\.\d+)?$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - nowMs;
  return Number.isNaN(waitMs) ? undefined : Math.min(Math.max(waitMs, 0), LONGEST_RETRY_AFTER_MS);
}

/** Waits, and keeps the process alive meanwhile: a caller's promise is settled only afterwards. */
export function wait(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
