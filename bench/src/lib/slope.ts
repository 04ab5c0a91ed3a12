/**
 * The slope of a line through points, by Theil and Sen: the median of the slopes between all pairs. Single peaks, such as
 * those of a garbage collector, do not change it.
 *
 * @example slopeOf([[0, 1], [1, 3], [2, 5]]) // 2
 */
export function slopeOf(points: readonly (readonly [x: number, y: number])[]): number {
  const chosen = thinOut(points);
  const slopes = new Float64Array((chosen.length * (chosen.length - 1)) / 2);
  let count = 0;
  for (const [index, [x, y]] of chosen.entries()) {
    for (let place = index + 1; place < chosen.length; place++) {
      const [otherX = 0, otherY = 0] = chosen[place] ?? [];
      if (otherX !== x) slopes[count++] = (otherY - y) / (otherX - x);
    }
  }
  return count === 0 ? 0 : middleOf(slopes.subarray(0, count).sort());
}

/** The work grows with the square of the points, and more points would not make the slope more exact. */
const MOST_POINTS = 500;

function thinOut<Point>(points: readonly Point[]): readonly Point[] {
  const step = Math.ceil(points.length / MOST_POINTS);
  return step <= 1 ? points : points.filter((_, index) => index % step === 0);
}

/** The middle value, or the mean of the two in the middle; NaN when there are none. */
export function median(values: readonly number[]): number {
  return middleOf(Float64Array.from(values).sort());
}

function middleOf(sorted: Float64Array): number {
  const middle = sorted.length / 2;
  const upper = sorted[Math.floor(middle)] ?? Number.NaN;
  return Number.isInteger(middle) ? ((sorted[middle - 1] ?? Number.NaN) + upper) / 2 : upper;
}
