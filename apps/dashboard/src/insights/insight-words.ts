import type { InsightQuestion, TrendAnswer, TrendRequest } from "@muster/protocol/api/insights";
import type { InsightAnswer } from "../api/audience/use-insights.js";

export type TrendSeries = TrendRequest["series"][number];
type AnsweredSeries = TrendAnswer["series"][number];

export const ANY_EVENT = "Any event";

/** The name of a choice of events. */
export function eventWords({ event, conditions }: Pick<TrendSeries, "event" | "conditions">): string {
  const name = event ?? ANY_EVENT;
  return conditions && conditions.length > 0 ? `${name} (filtered)` : name;
}

/** What a series counts, such as `Users with Ordered`. */
export function seriesWords(series: TrendSeries, segmentNames: ReadonlyMap<string, string>): string {
  if (series.segment !== undefined) return `Size of ${segmentNames.get(series.segment) ?? "a segment"}`;
  const event = eventWords(series);
  const property = series.property?.replace(/^properties\./, "") ?? "a property";
  switch (series.measure) {
    case "users":
      return `Users with ${event}`;
    case "sum":
      return `Sum of ${property} of ${event}`;
    case "avg":
      return `Average ${property} of ${event}`;
    case "min":
      return `Least ${property} of ${event}`;
    case "max":
      return `Greatest ${property} of ${event}`;
    default:
      return event;
  }
}

/** The name of a drawn line: what it counts, and the value of the breakdown. */
export function lineWords(
  asked: readonly TrendSeries[],
  { series, breakdown }: Pick<AnsweredSeries, "series" | "breakdown">,
  segmentNames: ReadonlyMap<string, string>,
): string {
  const given = asked[series];
  const words = given ? seriesWords(given, segmentNames) : "";
  if (breakdown === null) return words;
  return asked.length === 1 ? String(breakdown) : `${words}: ${String(breakdown)}`;
}

export type InsightKind = "trend" | "funnel" | "retention";

export function kindOf({ funnel, retention }: InsightQuestion): InsightKind {
  if (funnel) return "funnel";
  return retention ? "retention" : "trend";
}

/** The question without what is not complete; undefined when nothing is left to ask. */
export function completeQuestion(question: InsightQuestion): InsightQuestion | undefined {
  const { trend, funnel } = question;
  if (trend) {
    const series = trend.series.filter(isCompleteSeries);
    return series.length === 0 ? undefined : { trend: { ...trend, series } };
  }
  if (funnel && funnel.steps.length < 2) return undefined;
  return question;
}

/** What is said below a breakdown that has all the values that it may have: there can be others. Undefined when it has fewer. */
export function mostFrequentWords({ trend, funnel }: InsightQuestion, answer: InsightAnswer): string | undefined {
  const { breakdown, limit = 10 } = trend ?? funnel ?? {};
  if (breakdown === undefined || answer.kind === "retention") return undefined;
  const counts =
    answer.kind === "funnel"
      ? [answer.answer.groups.length]
      : (trend?.series ?? []).map((_, place) => answer.answer.series.filter(({ series }) => series === place).length);
  if (Math.max(...counts) < limit) return undefined;
  return limit === 1 ? "Only the most frequent value is shown." : `The ${limit} most frequent values are shown.`;
}

function isCompleteSeries({ measure, property, segment }: TrendSeries): boolean {
  if (segment !== undefined) return segment !== "";
  return measure === "count" || measure === "users" || (property !== undefined && property !== "");
}

const DAY = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short", year: "numeric", timeZone: "UTC" });
const HOUR = new Intl.DateTimeFormat(undefined, {
  day: "numeric",
  month: "short",
  hour: "2-digit",
  minute: "2-digit",
  hourCycle: "h23",
  timeZone: "UTC",
});
const MONTH = new Intl.DateTimeFormat(undefined, { month: "long", year: "numeric", timeZone: "UTC" });

/** The interval that begins at a moment, in UTC, as people say it. */
export function intervalWords(at: string, interval: string): string {
  const time = Date.parse(at);
  if (interval === "hour") return HOUR.format(time);
  if (interval === "month") return MONTH.format(time);
  return interval === "week" ? `Week of ${DAY.format(time)}` : DAY.format(time);
}
