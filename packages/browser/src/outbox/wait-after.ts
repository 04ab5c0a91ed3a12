const FIRST_MS = 1_000;
const LONGEST_MS = 5 * 60_000;

/**
 * How long to wait before the next try, in milliseconds: as long as the server says, or twice as long after each failure,
 * with a random part so that not all visitors come back in the same second.
 */
export function waitAfter(failures: number, saidMs?: number): number {
  if (saidMs !== undefined) return Math.min(LONGEST_MS, Math.max(FIRST_MS, saidMs));
  const wait = Math.min(LONGEST_MS, FIRST_MS * 2 ** (failures - 1));
  return wait * (0.5 + Math.random() / 2);
}
