/**
 * The slope of a line through points, by Theil and Sen: the median of the slopes between all pairs. Single peaks, such as
 * those of a garbage collector, do not change it.
 *
 * @example slopeOf([[0, 1], [1, 3], [2, 5]]) // 2
 */
export function slopeOf(points: readonly (readonly [x: number, y: number])[]): number {
  const slopes = points.flatMap(([x, y], index) =>
    points
      .slice(index + 1)
      .filter(([otherX]) => otherX !== x)
      .map(([otherX, otherY]) => (otherY - y) / (otherX - x)),
  );
  return slopes.length === 0 ? 0 : median(slopes);
}

/** The middle value, or the mean of the two in the middle; NaN when there are none. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((one, other) => one - other);
  const middle = sorted.length / 2;
  const upper = sorted[Math.floor(middle)] ?? Number.NaN;
  return Number.isInteger(middle) ? ((sorted[middle - 1] ?? Number.NaN) + upper) / 2 : upper;
}
