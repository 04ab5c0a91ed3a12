/** How many subjects entered and left a segment in an interval. */
export interface IntervalMoves {
  start: number;
  entered: number;
  left: number;
}

export interface SegmentHistory {
  /** The present size. */
  size: number;
  createdAt: number;
  moves: readonly IntervalMoves[];
}

/**
 * The size of a segment at the end of each interval, computed backwards from its present size. `starts` are the starts of
 * the intervals until now. Nothing is known of the time before the segment was created, unless there are moves.
 */
export function sizesOverTime(
  { size: present, createdAt, moves }: SegmentHistory,
  starts: readonly number[],
): (IntervalMoves & { size: number })[] {
  const byStart = new Map(moves.map((interval) => [interval.start, interval]));
  const begin = moves.reduce((earliest, { start }) => Math.min(earliest, start), createdAt);
  let size = present;
  const points: (IntervalMoves & { size: number })[] = [];
  for (let index = starts.length - 1; index >= 0; index--) {
    const start = starts[index]!;
    const end = starts[index + 1] ?? Number.POSITIVE_INFINITY;
    if (end <= begin) break;
    const { entered, left } = byStart.get(start) ?? { entered: 0, left: 0 };
    points.push({ start, size: Math.max(0, size), entered, left });
    size -= entered - left;
  }
  return points.reverse();
}
