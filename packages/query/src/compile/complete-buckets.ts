import type { BucketAggregation, Bucketing, DateBucketing } from "../aggregation.js";
import { addUnits } from "../dates/calendar.js";
import { LIMITS } from "../limits.js";
import { QueryError } from "../query-error.js";
import type { CompiledBucketing } from "./bucketing.js";

/** A bucket as the engine returned it. */
export interface Bucket {
  readonly key: unknown;
  readonly count: number;
  /** The answers of the nested aggregations. */
  readonly inside: Readonly<Record<string, unknown>>;
}

type Answer = Record<string, unknown>;

/** Adds the empty buckets, which the engine does not return, and formats the keys by their type. `empty` makes one. */
export function completeBuckets(
  aggregation: BucketAggregation,
  keys: CompiledBucketing["keys"],
  found: readonly Bucket[],
  empty: (key: number) => Bucket,
): Answer {
  const { by, path } = aggregation;
  if (found.length > LIMITS.buckets) throw tooMany(path);
  const at = (place: number): Bucket => found.find(({ key }) => Number(key) === place) ?? empty(place);
  switch (by.kind) {
    case "filter":
    case "missing": {
      const { count, inside } = at(0);
      return { doc_count: count, ...inside };
    }
    case "filters":
      return { buckets: by.filters.map(({ key }, place) => bucketAnswer({ key }, at(place))) };
    case "range":
      return { buckets: by.ranges.map(({ key, from, to }, place) => bucketAnswer({ key, from, to }, at(place))) };
    case "terms":
      return { buckets: found.map((bucket) => bucketAnswer(shownKey(bucket.key, keys), bucket)) };
    case "histogram":
    case "date_histogram":
      return {
        buckets: withGaps(by, path, found, empty).map((bucket) => bucketAnswer(shownKey(bucket.key, keys), bucket)),
      };
  }
}

function bucketAnswer(key: Answer, { count, inside }: Bucket): Answer {
  return { ...key, doc_count: count, ...inside };
}

function shownKey(key: unknown, keys: CompiledBucketing["keys"]): Answer {
  switch (keys) {
    case "date":
      return { key: Number(key), key_as_string: new Date(Number(key)).toISOString() };
    case "boolean":
      return { key: Number(key), key_as_string: Number(key) === 1 ? "true" : "false" };
    case "number":
    case "place":
      return { key: Number(key) };
    case "text":
      return { key };
  }
}

/** Every step from the first bucket to the last, unless the request wants only buckets with a minimum of rows. */
function withGaps(
  by: Extract<Bucketing, { kind: "histogram" | "date_histogram" }>,
  path: string,
  found: readonly Bucket[],
  empty: (key: number) => Bucket,
): readonly Bucket[] {
  if (by.minCount > 0) return found;
  const all: Bucket[] = [];
  let expected: number | undefined;
  for (const bucket of found) {
    const key = Number(bucket.key);
    while (expected !== undefined && isBefore(expected, key, by)) {
      all.push(empty(expected));
      if (all.length > LIMITS.buckets) throw tooMany(path);
      expected = next(expected, by);
    }
    all.push(bucket);
    expected = next(key, by);
  }
  return all;
}

/** The margin is half a step, because keys that are sums of fractions are not exact. */
function isBefore(expected: number, key: number, by: { kind: "histogram"; interval: number } | DateBucketing): boolean {
  return by.kind === "histogram" ? expected < key - by.interval / 2 : expected < key;
}

function next(key: number, by: { kind: "histogram"; interval: number } | DateBucketing): number {
  return by.kind === "histogram" ? key + by.interval : addUnits(key, by.count, by.unit, by.timeZone);
}

function tooMany(path: string): QueryError {
  return new QueryError(path, `expected an interval that makes at most ${LIMITS.buckets} buckets`);
}
