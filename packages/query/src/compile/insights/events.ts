import type { Period } from "../../insight.js";
import { allOf, type Field, type Query } from "../../query.js";
import { activityOf } from "../../tree/activity.js";

export const CREATED_AT: Field = { target: "event", key: "created_at", exact: false };

/** The events of users that fit a query and are in a period. */
export function eventsIn(query: Query, { from, to }: Period): Query {
  const { path } = query;
  const bounds = { gte: from, lt: to };
  const inPeriod = { kind: "range", path, field: CREATED_AT, bounds, format: undefined, timeZone: undefined } as const;
  return allOf(path, [activityOf(query), inPeriod]);
}
