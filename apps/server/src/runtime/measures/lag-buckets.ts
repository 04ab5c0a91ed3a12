// Eight buckets for each doubling: a figure that is read from a bucket is at most 9 % too high.
const PER_DOUBLING = 8;
/** More than a year. */
const LAST_BUCKET = 280;

/** The bucket of a duration. Bucket 0 has everything up to a millisecond. */
export function bucketOf(ms: number): number {
  if (!(ms > 1)) return 0;
  return Math.min(LAST_BUCKET, Math.ceil(Math.log2(ms) * PER_DOUBLING));
}

/** The longest duration that a bucket has, in milliseconds. */
function endOf(bucket: number): number {
  return 2 ** (bucket / PER_DOUBLING);
}

/**
 * The duration in milliseconds that the given share of records did not exceed, rounded up to the end of its bucket. Null
 * when there are no records.
 */
export function percentileOf(buckets: readonly { bucket: number; records: number }[], share: number): number | null {
  const total = buckets.reduce((sum, { records }) => sum + records, 0);
  if (total === 0) return null;
  let seen = 0;
  for (const { bucket, records } of [...buckets].sort((one, other) => one.bucket - other.bucket)) {
    seen += records;
    if (seen >= total * share) return Math.ceil(endOf(bucket));
  }
  return null;
}
