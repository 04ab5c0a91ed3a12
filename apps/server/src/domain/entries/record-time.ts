import { DAY_MS } from "@muster/protocol";

/** A page keeps records that it could not send, but not for so long. What it says is older counts as this old. */
export const OLDEST_OF_PAGE_MS = 365 * DAY_MS;

/** A difference that rounds to zero of these steps is the delay of the network, and not a wrong clock. */
const CLOCK_STEP_MS = 60_000;

/**
 * The time of a record by the clock of the server. The difference between the sending time by the client's clock and
 * the receiving time shows how wrong the client's clock is. It is corrected in whole minutes, so that two batches of
 * one client are shifted by the same amount. The result is never in the future and never before 1970.
 */
export function recordTime(timestampMs: number, sentAtMs: number, receivedAtMs: number): number {
  const skew = Math.round((receivedAtMs - sentAtMs) / CLOCK_STEP_MS) * CLOCK_STEP_MS;
  return Math.max(0, Math.min(timestampMs + skew, receivedAtMs));
}
