/** Seconds since a moment that `performance.now()` returned. */
export function secondsSince(startedAt: number): number {
  return (performance.now() - startedAt) / 1_000;
}
