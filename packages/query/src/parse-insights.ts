import { DAY_MS, HOUR_MS, MINUTE_MS } from "@muster/protocol";
import {
  type FunnelRequest,
  type InsightNumber,
  type InsightQuestion,
  MAX_WITHIN_DAYS,
  type RetentionRequest,
  type TrendRequest,
} from "@muster/protocol/api/insights";
import { addUnits, type CalendarUnit, startOfUnit } from "./dates/calendar.js";
import { readDateMath } from "./dates/date-math.js";
import { isTimeZone } from "./dates/time-zone.js";
import type { Breakdown, Calendar, Funnel, InsightUsers, Measure, Period, Retention, Trend } from "./insight.js";
import { parse } from "./parse/parse.js";
import { parseField } from "./parse/parse-field.js";
import { conditionsToQuery } from "./predicate/predicate-to-query.js";
import { allOf, type Field, type Query } from "./query.js";
import { QueryError } from "./query-error.js";

export interface InsightOptions {
  /** The moment that relative dates count from. */
  readonly now: Date;
}

type Choice = { event?: string; where?: unknown; conditions?: readonly unknown[] };
type Times = Pick<TrendRequest, "from" | "to" | "time_zone">;

// Each unit is a step of the calendar.
const MAX_COMPARED = 2_000;
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
    if (series.segment !== undefined) requireSizes(series, request, path);
    return { ...shared, query: chosen(series, path), measure: measureOf(series, path) };
  });
}

/** Reads which users of an insight are meant: those behind one number of its answer. @throws QueryError */
export function parseInsightUsers(
  { trend, funnel, retention }: InsightQuestion,
  number: InsightNumber,
  options: InsightOptions,
): InsightUsers {
  const slice = number.breakdown ?? null;
  if (trend) {
    const { series = 0, at } = number;
    const chosen = parseTrend(trend, options)[series];
    if (!chosen) throw new QueryError("number.series", "expected a series of the trend");
    if (trend.series[series]?.segment !== undefined) {
      throw new QueryError("number.series", "the members of a segment are found by a search for segment_ids");
    }
    const { calendar } = chosen;
    const period = number.previous ? periodBefore(chosen.period, calendar) : chosen.period;
    if (at === undefined) return { kind: "trend", trend: { ...chosen, period }, slice };
    const start = readStart(at, "number.at", calendar);
    const end = addUnits(start, 1, calendar.unit, calendar.timeZone);
    const bar = { from: Math.max(start, period.from), to: Math.min(end, period.to) };
    if (bar.from >= bar.to) throw new QueryError("number.at", "expected an interval of the trend");
    return { kind: "trend", trend: { ...chosen, period: bar }, slice };
  }
  if (funnel) {
    const { step = 0, dropped: hasDropped = false } = number;
    const last = funnel.steps.length - (hasDropped ? 2 : 1);
    if (step > last) throw new QueryError("number.step", `expected at most ${last}`);
    return { kind: "funnel", funnel: parseFunnel(funnel, options), step, hasDropped, slice };
  }
  if (!retention) throw new QueryError("question", "expected a trend, a funnel or a retention");
  const parsed = parseRetention(retention, options);
  const { at, back } = number;
  if (at === undefined) throw new QueryError("number.at", "expected the start of a cohort");
  return {
    kind: "retention",
    retention: parsed,
    start: readStart(at, "number.at", parsed.calendar),
    back: back === undefined ? undefined : readStart(back, "number.back", parsed.calendar),
  };
}

/** The time with which a trend is compared: as many units of time, just before the period. @throws QueryError */
export function periodBefore({ from, to }: Period, { unit, timeZone }: Calendar): Period {
  let count = 0;
  for (let start = startOfUnit(from, unit, timeZone); start < to; start = addUnits(start, 1, unit, timeZone)) {
    count += 1;
    if (count > MAX_COMPARED) throw new QueryError("interval", `expected at most ${MAX_COMPARED} intervals`);
  }
  const before = (ms: number) => addUnits(ms, -count, unit, timeZone);
  return { from: before(from), to: before(to) };
}

/** The start of an interval, as an answer gave it. */
function readStart(text: string, path: string, { unit, timeZone }: Calendar): number {
  const ms = Date.parse(text);
  if (Number.isNaN(ms) || startOfUnit(ms, unit, timeZone) !== ms) {
    throw new QueryError(path, "expected the start of an interval, as in the answer");
  }
  return ms;
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

function chosen({ event, where, conditions }: Choice, path: string): Query {
  const field: Field = { target: "event", key: "event", exact: true };
  const named: Query[] = event === undefined ? [] : [{ kind: "terms", path: `${path}.event`, field, values: [event] }];
  return allOf(path, [
    ...named,
    ...(where === undefined ? [] : [parse(where, { target: "event", path: `${path}.where` })]),
    ...(conditions === undefined
      ? []
      : [parse(conditionsToQuery(conditions, `${path}.conditions`), { target: "event" })]),
  ]);
}

/** Refuses a series about a segment that also asks about events, or that the stored sizes cannot answer. */
function requireSizes(
  { event, where, conditions, measure, property }: TrendRequest["series"][number],
  { breakdown, time_zone: timeZone }: TrendRequest,
  path: string,
): void {
  if (
    event !== undefined ||
    where !== undefined ||
    conditions !== undefined ||
    property !== undefined ||
    measure !== "count"
  ) {
    throw new QueryError(`${path}.segment`, "expected either a segment or events");
  }
  if (breakdown !== undefined) throw new QueryError("breakdown", "the size of a segment has no breakdown");
  if (timeZone !== "UTC") throw new QueryError("time_zone", "expected UTC: sizes of segments are kept for days of UTC");
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
