import { isRelativeDate } from "../dates/date-math.js";
import { childrenOf, type Query } from "../query.js";

/** Whether the answer may change without a change of data, because a bound depends on the current time. */
export function changesWithTime(query: Query): boolean {
  const values = query.kind === "range" ? Object.values(query.bounds) : query.kind === "terms" ? query.values : [];
  if (query.kind === "match" && isRelativeDate(query.text)) return true;
  return (
    values.some((value) => typeof value === "string" && isRelativeDate(value)) ||
    childrenOf(query).some(changesWithTime)
  );
}
