/** Delays of the network look like a slow clock; below this they are taken for what they are. */
const CLOCK_STEP_MS = 60_000;

/**
 * When a record happened by our clock. A client's clock is off by what lies between when it says it sent the batch and
 * when we received it; whole minutes of that are corrected, so that two batches of one client are shifted alike.
 * Nothing happens in the future, nor before 1970, where only a broken clock can put it.
 */
export function recordTime(timestampMs: number, sentAtMs: number, receivedAtMs: number): number {
  const skew = Math.round((receivedAtMs - sentAtMs) / CLOCK_STEP_MS) * CLOCK_STEP_MS;
  return Math.max(0, Math.min(timestampMs + skew, receivedAtMs));
}
