import { DAY_MS, HOUR_MS, MINUTE_MS } from "@muster/protocol";
import {
  type FunnelRequest,
  MAX_WITHIN_DAYS,
  type RetentionRequest,
  type TrendRequest,
} from "@muster/protocol/api/insights";
import type { CalendarUnit } from "../dates/calendar.js";
import { readDateMath } from "../dates/date-math.js";
import { isTimeZone } from "../dates/time-zone.js";
import type { Breakdown, Calendar, Funnel, Measure, Period, Retention, Trend } from "../insight.js";
import { allOf, type Field, type Query } from "../query.js";
import { QueryError } from "../query-error.js";
import { parse } from "./parse.js";
import { parseField } from "./parse-field.js";

export interface InsightOptions {
  /** The moment that relative dates count from. */
  readonly now: Date;
}

type Choice = { event?: string; where?: unknown };
type Times = Pick<TrendRequest, "from" | "to" | "time_zone">;

const UNITS: Readonly<Record<TrendRequest["interval"], CalendarUnit>> = { hour: "h", day: "d", week: "w", month: "M" };
const SPAN_MS: Readonly<Record<string, number>> = { m: MINUTE_MS, h: HOUR_MS, d: DAY_MS, w: 7 * DAY_MS };

/** Reads the series of a trend. @throws QueryError */
export function parseTrend(request: TrendRequest, options: InsightOptions): readonly Trend[] {
  const shared = {
    period: periodOf(request, options),
    calendar: calendarOf(request),
    breakdown: breakdownOf(request),
  };
  return request.series.map((series, place) => {
    const path = `series.${place}`;
    return { ...shared, query: chosen(series, path), measure: measureOf(series, path) };
  });
}

/** Reads a funnel. @throws QueryError */
export function parseFunnel(request: FunnelRequest, options: InsightOptions): Funnel {
  const [, count = "", unit = ""] = /^(\d+)([mhdw])$/.exec(request.within) ?? [];
  const withinMs = Number(count) * (SPAN_MS[unit] ?? Number.NaN);
  if (!(withinMs <= MAX_WITHIN_DAYS * DAY_MS)) throw new QueryError("within", `expected at most ${MAX_WITHIN_DAYS}d`);
  return {
    steps: request.steps.map((step, place) => chosen(step, `steps.${place}`)),
    withinMs,
    period: periodOf(request, options),
    breakdown: breakdownOf(request),
  };
}

/** Reads a retention. @throws QueryError */
export function parseRetention(request: RetentionRequest, options: InsightOptions): Retention {
  return {
    start: chosen(request.start ?? {}, "start"),
    comeback: chosen(request.return ?? {}, "return"),
    period: periodOf(request, options),
    calendar: calendarOf(request),
  };
}

function chosen({ event, where }: Choice, path: string): Query {
  const field: Field = { target: "event", key: "event", exact: true };
  const named: Query[] = event === undefined ? [] : [{ kind: "terms", path: `${path}.event`, field, values: [event] }];
  return allOf(path, [
    ...named,
    ...(where === undefined ? [] : [parse(where, { target: "event", path: `${path}.where` })]),
  ]);
}

function measureOf({ measure: kind, property }: TrendRequest["series"][number], path: string): Measure {
  if (kind === "count" || kind === "users") {
    if (property === undefined) return { kind };
    throw new QueryError(`${path}.property`, `${kind} has no property; expected sum, avg, min or max as the measure`);
  }
  return { kind, path: `${path}.property`, field: parseField(property, `${path}.property`, "event") };
}

function breakdownOf({ breakdown, limit: size }: Pick<TrendRequest, "breakdown" | "limit">): Breakdown | undefined {
  if (breakdown === undefined) return undefined;
  const ofUser = /^user\.(.+)$/s.exec(breakdown)?.[1];
  const field =
    ofUser === undefined ? parseField(breakdown, "breakdown", "event") : parseField(ofUser, "breakdown", "user");
  return { path: "breakdown", field, size };
}

function calendarOf({ interval, time_zone: timeZone }: Pick<TrendRequest, "interval" | "time_zone">): Calendar {
  return { unit: UNITS[interval], timeZone };
}

function periodOf({ from, to, time_zone: timeZone }: Times, { now }: InsightOptions): Period {
  if (!isTimeZone(timeZone)) {
    throw new QueryError("time_zone", "expected an offset such as +02:00 or a zone such as Europe/Paris");
  }
  const read = (text: string, path: string): number => {
    const date = readDateMath(text, { now, timeZone });
    if (!date) throw new QueryError(path, "expected a date or date math such as now-30d/d");
    return date.first;
  };
  const period = { from: read(from, "from"), to: read(to, "to") };
  if (period.from >= period.to) throw new QueryError("to", "expected a time after from");
  return period;
}
