import type { FunnelAnswer, RetentionAnswer, TrendAnswer } from "@muster/protocol/api/insights";
import type { Api } from "../../api.js";
import { table } from "../../output/table.js";

/** A question as the API takes it: one of the three, with any parts. */
export interface AskedInsight {
  trend?: { series: { event?: string; segment?: string; measure?: string }[] };
  funnel?: { steps: { event?: string }[] };
  retention?: object;
}

/** Asks a question. Returns the answer of the API, and how it is written for people. */
export async function answerInsight(
  api: Api,
  { trend, funnel, retention }: AskedInsight,
  width: number | undefined,
): Promise<{ answer: object; text: () => string }> {
  if (trend) {
    const answer = await api.post<TrendAnswer>("/insights/trend", trend);
    return { answer, text: () => trendText(trend.series, answer, width) };
  }
  if (funnel) {
    const answer = await api.post<FunnelAnswer>("/insights/funnel", funnel);
    return { answer, text: () => funnelText(funnel.steps, answer, width) };
  }
  const answer = await api.post<RetentionAnswer>("/insights/retention", retention ?? {});
  return { answer, text: () => retentionText(answer, width) };
}

/** A line for each interval, a column for each series. */
function trendText(
  asked: NonNullable<AskedInsight["trend"]>["series"],
  { series, interval }: TrendAnswer,
  width: number | undefined,
): string {
  const headings = series.map(({ series: place, breakdown }) => {
    const { event, segment } = asked[place] ?? {};
    const name = event ?? (segment === undefined ? "any event" : "members");
    return breakdown === null ? name : `${name}: ${breakdown}`;
  });
  const rows = (series[0]?.points ?? []).map(({ at }, place) => [
    intervalText(at, interval),
    ...series.map(({ points }) => points[place]?.value?.toLocaleString("en") ?? "-"),
  ]);
  return rows.length === 0 ? "No events in this time." : table([interval.toUpperCase(), ...headings], rows, width);
}

/** A line for each step of each value of the breakdown. */
function funnelText(
  steps: NonNullable<AskedInsight["funnel"]>["steps"],
  { groups }: FunnelAnswer,
  width: number | undefined,
): string {
  const rows = groups.flatMap(({ breakdown, steps: reached }) =>
    reached.map(({ users, of_first, of_before }, place) => [
      breakdown === null ? "" : String(breakdown),
      steps[place]?.event ?? "any event",
      users.toLocaleString("en"),
      shareText(of_before),
      shareText(of_first),
    ]),
  );
  const isSplit = groups.some(({ breakdown }) => breakdown !== null);
  const headings = ["VALUE", "STEP", "USERS", "OF STEP BEFORE", "OF FIRST STEP"];
  const shown = (line: string[]) => (isSplit ? line : line.slice(1));
  return rows.length === 0 ? "No user came to the first step." : table(shown(headings), rows.map(shown), width);
}

/** A line for each cohort, a column for each interval after it. */
function retentionText({ cohorts, interval }: RetentionAnswer, width: number | undefined): string {
  const longest = Math.max(0, ...cohorts.map(({ returned }) => returned.length));
  const rows = cohorts.map(({ at, users, returned }) => [
    intervalText(at, interval),
    users.toLocaleString("en"),
    ...Array.from({ length: longest }, (_, place) => {
      const back = returned[place];
      return back === undefined || users === 0 ? "" : shareText(back / users);
    }),
  ]);
  if (rows.length === 0) return "No user began in this time.";
  const headings = Array.from({ length: longest }, (_, place) => `+${place}`);
  return table([interval.toUpperCase(), "USERS", ...headings], rows, width);
}

function shareText(share: number | null): string {
  return share === null ? "-" : `${(share * 100).toFixed(1)}%`;
}

function intervalText(at: string, interval: string): string {
  return interval === "hour" ? at.slice(0, 16) : interval === "month" ? at.slice(0, 7) : at.slice(0, 10);
}
