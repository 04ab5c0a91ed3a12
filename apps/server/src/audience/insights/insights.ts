import { Refusal } from "@muster/protocol";
import {
  type FunnelAnswer,
  type FunnelRequest,
  MAX_TREND_POINTS,
  type RetentionAnswer,
  type RetentionRequest,
  type TrendAnswer,
  type TrendRequest,
} from "@muster/protocol/api/insights";
import {
  addUnits,
  type Calendar,
  type Period,
  parseFunnel,
  parseRetention,
  parseTrend,
  periodBefore,
  type Slice,
  startOfUnit,
  type Trend,
  type TrendRow,
} from "@muster/query";
import type { Database } from "../../storage/postgres/database.js";
import type { AskOptions } from "../../storage/questions/asking.js";
import type { InsightContext } from "../../storage/questions/insights.js";
import type { Questions } from "../../storage/questions/questions.js";
import { loadAttributeTypes } from "../attributes/attribute-definitions.js";
import type { Charts } from "../search/charts.js";

export interface InsightsOptions {
  database: Database;
  questions: Questions;
  charts: Pick<Charts, "segment">;
}

// More than a screen can show. The limits keep answers small.
const MAX_POINTS = 2_000;
const MAX_COHORTS = 120;

/** Answers what people ask after a segment: how an event moves, how far users come, and who comes back. */
export class Insights {
  readonly #options: InsightsOptions;

  constructor(options: InsightsOptions) {
    this.#options = options;
  }

  async trend(organizationId: string, request: TrendRequest, options?: AskOptions): Promise<TrendAnswer> {
    const context = await this.#context(organizationId);
    const trends = parseTrend(request, context);
    const { period, calendar } = trends[0]!;
    requireBounded(request, startsOf(period, calendar, MAX_POINTS).length);
    const ask = (within: Period, asked: readonly Trend[]) =>
      this.#seriesIn(within, organizationId, request, asked, context, options);
    const now = await ask(period, trends);
    if (!request.compare) return { interval: request.interval, ...now };
    // The values of the breakdown are those of the time that is asked about, whatever was frequent before.
    const alike = trends.map((trend, place) => ({ ...trend, breakdown: onlyValues(trend, now.series, place) }));
    return { interval: request.interval, ...now, previous: await ask(periodBefore(period, calendar), alike) };
  }

  async #seriesIn(
    period: Period,
    organizationId: string,
    request: TrendRequest,
    trends: readonly Trend[],
    context: InsightContext,
    options: AskOptions | undefined,
  ) {
    const starts = startsOf(period, trends[0]!.calendar, MAX_POINTS);
    const series = await Promise.all(
      trends.map(async (trend, place) => {
        const segmentId = request.series[place]?.segment;
        if (segmentId !== undefined) {
          const points = await this.#sizes(organizationId, segmentId, request, period, starts);
          return [{ series: place, breakdown: null, points }];
        }
        const rows = await this.#options.questions.trend(organizationId, { ...trend, period }, context, options);
        return seriesOf(trend, rows, starts).map((one) => ({ series: place, ...one }));
      }),
    );
    return { ...answered(period), series: series.flat() };
  }

  /** The sizes of a segment, which are known from its stored moves. Times before the segment and times to come have none. */
  async #sizes(
    organizationId: string,
    segmentId: string,
    { interval }: TrendRequest,
    { from, to }: Period,
    starts: readonly number[],
  ) {
    const span = { from: new Date(from), to: new Date(to - 1), interval };
    const chart = await this.#options.charts.segment(organizationId, segmentId, span);
    if (!chart) throw new Refusal("invalid_parameter", `There is no segment with the id "${segmentId}".`);
    const sizes = new Map(chart.points.map(({ at, size }) => [at, size]));
    return starts.map(iso).map((at) => ({ at, value: sizes.get(at) ?? null }));
  }

  async funnel(organizationId: string, request: FunnelRequest, options?: AskOptions): Promise<FunnelAnswer> {
    const context = await this.#context(organizationId);
    const funnel = parseFunnel(request, context);
    const rows = await this.#options.questions.funnel(organizationId, funnel, context, options);
    const groups = rows.map(({ slice, reached }) => ({
      breakdown: slice,
      steps: reached.map((users, place) => ({
        users,
        of_first: shareOf(users, reached[0]),
        of_before: shareOf(users, place === 0 ? users : reached[place - 1]),
      })),
    }));
    return { ...answered(funnel.period), groups };
  }

  async retention(organizationId: string, request: RetentionRequest, options?: AskOptions): Promise<RetentionAnswer> {
    const context = await this.#context(organizationId);
    const retention = parseRetention(request, context);
    const { period, calendar } = retention;
    const starts = startsOf(period, calendar, MAX_COHORTS);
    const rows = await this.#options.questions.retention(organizationId, retention, context, options);
    const users = new Map(rows.map(({ start, back, users: count }) => [keyOf(start, back), count]));
    const cohorts = starts.map((start, place) => ({
      at: iso(start),
      users: users.get(keyOf(start, undefined)) ?? 0,
      returned: starts.slice(place).map((back) => users.get(keyOf(start, back)) ?? 0),
    }));
    return { interval: request.interval, ...answered(period), cohorts };
  }

  async #context(organizationId: string): Promise<InsightContext> {
    return { attributeTypes: await loadAttributeTypes(this.#options.database, organizationId), now: new Date() };
  }
}

/** Refuses a trend whose answer could be too large. How many values a breakdown has is not known before it is asked. */
function requireBounded({ series, breakdown, limit = 10, compare }: TrendRequest, intervals: number): void {
  const points = series.length * (breakdown === undefined ? 1 : limit) * intervals * (compare ? 2 : 1);
  if (points <= MAX_TREND_POINTS) return;
  const smaller = [
    ...(series.length > 1 ? ["fewer series"] : []),
    ...(breakdown === undefined ? [] : ["fewer values of the breakdown (limit)"]),
    "longer intervals",
    "less time",
    ...(compare ? ["no comparison"] : []),
  ];
  throw new Refusal(
    "invalid_parameter",
    `The trend could have ${points} points, and at most ${MAX_TREND_POINTS} points are possible. Take ${smaller.slice(0, -1).join(", ")} or ${smaller.at(-1)}.`,
  );
}

/** The breakdown of a series, by the values that the answered series have. */
function onlyValues({ breakdown }: Trend, answered: TrendAnswer["series"], place: number): Trend["breakdown"] {
  const values = answered.filter(({ series }) => series === place).map((one) => one.breakdown);
  return breakdown && { ...breakdown, values };
}

/** One series, or one for each value of the breakdown: given values in their order, else the one with the most first. */
function seriesOf({ measure, breakdown }: Trend, rows: readonly TrendRow[], starts: readonly number[]) {
  const none = measure.kind === "count" || measure.kind === "users" || measure.kind === "sum" ? 0 : null;
  const given: readonly Slice[] = breakdown ? (breakdown.values ?? []) : [null];
  const slices = new Map<Slice, Map<number, number | null>>(given.map((slice) => [slice, new Map()]));
  for (const { slice, start, value } of rows) {
    const values = slices.get(slice) ?? new Map<number, number | null>();
    slices.set(slice, values.set(start, value));
  }
  const sizeOf = (values: Map<number, number | null>) =>
    [...values.values()].reduce<number>((sum, value) => sum + (value ?? 0), 0);
  const found = [...slices];
  const times = starts.map(iso);
  if (!breakdown?.values) found.sort(([, one], [, other]) => sizeOf(other) - sizeOf(one));
  return found.map(([slice, values]) => ({
    breakdown: slice,
    points: starts.map((start, place) => ({ at: times[place]!, value: values.get(start) ?? none })),
  }));
}

/** The starts of all units of time, from the one that contains the start of the period. */
function startsOf({ from, to }: Period, { unit, timeZone }: Calendar, max: number): number[] {
  const starts: number[] = [];
  for (let start = startOfUnit(from, unit, timeZone); start < to; start = addUnits(start, 1, unit, timeZone)) {
    if (starts.length === max) {
      throw new Refusal(
        "invalid_parameter",
        `The time has more than ${max} intervals: take longer intervals or less time.`,
      );
    }
    starts.push(start);
  }
  return starts;
}

function shareOf(users: number, all: number | undefined): number | null {
  return all ? users / all : null;
}

function keyOf(start: number, back: number | undefined): string {
  return `${start} ${back ?? "all"}`;
}

function answered({ from, to }: Period): { from: string; to: string } {
  return { from: iso(from), to: iso(to) };
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
