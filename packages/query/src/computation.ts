import type { Query } from "./query.js";
import type { FieldType } from "./target.js";

/** A figure over the events of a subject. */
export interface EventAggregate {
  readonly aggregate: "count" | "sum" | "min" | "max" | "average" | "first" | "last" | "unique";
  /** Which events. It names them. */
  readonly query: Query;
  /** The property that the figure is about; undefined for a count. */
  readonly property: string | undefined;
  /** How long ago events may be. */
  readonly withinMs: number | undefined;
  /** The type of the answer. */
  readonly type: FieldType;
}

/** A figure over the users of an account. */
export interface UserAggregate {
  readonly aggregate: "count" | "share" | "sum" | "min" | "max" | "average" | "unique";
  /** Which users; undefined for all. */
  readonly query: Query | undefined;
  /** The report key of the attribute that the figure is about; undefined for a count and a share. */
  readonly attribute: string | undefined;
  readonly type: FieldType;
}

/** The answers to several aggregates about one subject, in their order. A date is milliseconds. */
export type ComputedValues = readonly (string | number | boolean | null)[];
