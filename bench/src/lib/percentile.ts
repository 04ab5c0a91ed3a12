/**
 * The smallest value that is not below the given share of the values; NaN when there are none.
 *
 * @example percentile([1, 2, 3, 4], 0.5) // 2
 */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
}
