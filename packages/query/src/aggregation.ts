import type { CalendarUnit } from "./dates/calendar.js";
import type { Field, Query } from "./query.js";

export type Aggregation = MetricAggregation | BucketAggregation;

export type MetricName = "cardinality" | "stats" | "sum" | "avg" | "min" | "max";

/** An aggregation that computes one or a few values over all rows. */
export interface MetricAggregation {
  readonly kind: "metric";
  readonly path: string;
  readonly metric: MetricName;
  readonly field: Field;
}

/** An aggregation that puts rows into buckets; a row may be in several buckets or in none. */
export interface BucketAggregation {
  readonly kind: "bucket";
  readonly path: string;
  readonly by: Bucketing;
  /** The aggregations over each bucket. They cannot hold further bucketings. */
  readonly inside: readonly NamedAggregation[];
}

export interface NamedAggregation {
  readonly name: string;
  readonly aggregation: Aggregation;
}

export type Bucketing =
  | { readonly kind: "filter"; readonly query: Query }
  | { readonly kind: "filters"; readonly filters: readonly { readonly key: string; readonly query: Query }[] }
  | { readonly kind: "missing"; readonly field: Field }
  | TermsBucketing
  | {
      readonly kind: "histogram";
      readonly field: Field;
      readonly interval: number;
      readonly offset: number;
      readonly minCount: number;
    }
  | DateBucketing
  | { readonly kind: "range"; readonly field: Field; readonly ranges: readonly BucketRange[] };

export interface TermsBucketing {
  readonly kind: "terms";
  readonly field: Field;
  readonly size: number;
  readonly minCount: number;
  /** `_count`, `_key`, or the name of a metric of the bucket. */
  readonly orderBy: string;
  readonly descending: boolean;
}

export interface DateBucketing {
  readonly kind: "date_histogram";
  readonly field: Field;
  readonly count: number;
  readonly unit: CalendarUnit;
  readonly timeZone: string;
  readonly minCount: number;
}

/** From `from` to just before `to`. */
export interface BucketRange {
  readonly key: string;
  readonly from: string | number | undefined;
  readonly to: string | number | undefined;
}
