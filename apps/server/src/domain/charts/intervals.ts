import { DAY_MS, HOUR_MS } from "@muster/protocol";
import type { ChartSpan } from "@muster/protocol/api/charts";

export type Interval = ChartSpan["interval"];

/** The time that a chart covers, and the length of its intervals. */
export interface Span {
  from: Date;
  to: Date;
  interval: Interval;
}

/** The start of the interval that contains a moment. */
export function startOf(interval: Interval, ms: number): number {
  const date = new Date(ms);
  switch (interval) {
    case "hour":
      return Math.floor(ms / HOUR_MS) * HOUR_MS;
    case "day":
      return Math.floor(ms / DAY_MS) * DAY_MS;
    case "week":
      // 1970 began on a Thursday.
      return Math.floor((ms + 3 * DAY_MS) / (7 * DAY_MS)) * 7 * DAY_MS - 3 * DAY_MS;
    case "month":
      return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1);
  }
}

/** The starts of the intervals from the one that contains `from` to the one that contains `to`, `most` of them at most. */
export function startsBetween(interval: Interval, from: number, to: number, most = Number.POSITIVE_INFINITY): number[] {
  const starts: number[] = [];
  for (let start = startOf(interval, from); start <= to && starts.length < most; start = nextStart(interval, start)) {
    starts.push(start);
  }
  return starts;
}

function nextStart(interval: Interval, start: number): number {
  if (interval === "hour") return start + HOUR_MS;
  if (interval === "day") return start + DAY_MS;
  if (interval === "week") return start + 7 * DAY_MS;
  const date = new Date(start);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
}
