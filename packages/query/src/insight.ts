import type { CalendarUnit } from "./dates/calendar.js";
import type { Field, Query } from "./query.js";

/** From `from` to just before `to`, in milliseconds. */
export interface Period {
  readonly from: number;
  readonly to: number;
}

/** Calendar units in a time zone, such as the days in Paris. */
export interface Calendar {
  readonly unit: CalendarUnit;
  readonly timeZone: string;
}

/** Shows the most frequent values of a field, each by itself: of an event, or of its user or account as they are now. */
export interface Breakdown {
  readonly path: string;
  readonly field: Field;
  readonly size: number;
  /** Only these values, instead of the most frequent ones. For trends alone. */
  readonly values?: readonly Slice[] | undefined;
}

/** What is computed over events: how many there are, how many users they have, or a figure of a property. */
export type Measure =
  | { readonly kind: "count" }
  | { readonly kind: "users" }
  | { readonly kind: "sum" | "avg" | "min" | "max"; readonly path: string; readonly field: Field };

/** A figure over events, for each unit of time. */
export interface Trend {
  /** Which events. `activityOf` says which of them count. */
  readonly query: Query;
  readonly measure: Measure;
  readonly period: Period;
  readonly calendar: Calendar;
  readonly breakdown?: Breakdown | undefined;
}

/**
 * How many users come how far. A user has reached a step when the user has an event for each step up to it, in this order,
 * from a first one in the period to a last one at most `withinMs` later.
 */
export interface Funnel {
  readonly steps: readonly Query[];
  readonly withinMs: number;
  readonly period: Period;
  /** A user counts for the value at the user's first event of the first step. */
  readonly breakdown?: Breakdown | undefined;
}

/** How many users come back, by the unit of time of their first event in the period. */
export interface Retention {
  readonly start: Query;
  readonly comeback: Query;
  readonly period: Period;
  readonly calendar: Calendar;
}

export interface TrendRow {
  /** The start of the unit in milliseconds. */
  readonly start: number;
  readonly slice: Slice;
  /** Null when no event has the property. */
  readonly value: number | null;
}

/** A value of the field that a breakdown is by; null without a breakdown. */
export type Slice = string | number | boolean | null;

export interface FunnelRow {
  readonly slice: Slice;
  /** How many users have reached each step. */
  readonly reached: readonly number[];
}

export interface RetentionRow {
  /** The start of the unit in which the users began, in milliseconds. */
  readonly start: number;
  /** The start of the unit in which they came back; undefined in the row that counts all of them. */
  readonly back: number | undefined;
  readonly users: number;
}

/** The users of the events in a trend; the period is that of one bar. */
export interface TrendUsers {
  readonly kind: "trend";
  readonly trend: Trend;
  /** Null for all values of the breakdown. */
  readonly slice: Slice;
}

/** The users who have reached a step, or those of them who have not reached the next one. */
export interface FunnelUsers {
  readonly kind: "funnel";
  readonly funnel: Funnel;
  /** Counted from 0. */
  readonly step: number;
  readonly hasDropped: boolean;
  readonly slice: Slice;
}

/** The users of a cohort, or those of them who came back in a unit of time. */
export interface RetentionUsers {
  readonly kind: "retention";
  readonly retention: Retention;
  /** The start of the unit of time in which they began. */
  readonly start: number;
  readonly back: number | undefined;
}

/** The users behind one number of an insight. */
export type InsightUsers = TrendUsers | FunnelUsers | RetentionUsers;

/** The members of a segment at a moment in the past. */
export interface MembersThen {
  readonly segmentId: string;
  readonly subjectType: "user" | "account";
  /** The moment, in milliseconds. */
  readonly at: number;
  /** The members then, those who are members now and were not then, or those who were and are not any more. */
  readonly who: "before" | "entered" | "left";
}

export interface MembersThenCounts {
  readonly before: number;
  readonly now: number;
  readonly entered: number;
  readonly left: number;
}

/** Some of the users, in the order of their ids. */
export interface UsersPage {
  /** Only users with a greater id. */
  readonly after?: string | undefined;
  readonly limit: number;
}
