/** Smaller numbers are seconds: as milliseconds they would be in the first years after 1970. */
const FIRST_MS = 100_000_000_000;

/** A time that may be in milliseconds, in seconds. */
export function unixSeconds(time: number): number {
  return time < FIRST_MS ? time : time / 1_000;
}
