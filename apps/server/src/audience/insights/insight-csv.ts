import type {
  FunnelAnswer,
  InsightQuestion,
  RetentionAnswer,
  TrendAnswer,
  TrendRequest,
} from "@muster/protocol/api/insights";
import { csvCell } from "../../domain/jobs/csv.js";
import type { AskOptions } from "../../storage/questions/asking.js";
import { withoutFormula } from "../../storage/questions/csv-formulas.js";
import type { Insights } from "./insights.js";

type Cell = string | number | boolean | null;

/** The numbers of an insight as CSV, one number or one row of the screen a line. */
export async function insightCsv(
  insights: Insights,
  organizationId: string,
  { trend, funnel, retention }: InsightQuestion,
  options?: AskOptions,
): Promise<string> {
  if (trend) return toCsv(trendRows(trend, await insights.trend(organizationId, trend, options)));
  if (funnel) return toCsv(funnelRows(await insights.funnel(organizationId, funnel, options)));
  return toCsv(retentionRows(await insights.retention(organizationId, retention ?? WHOLE, options)));
}

/** The question always has one of the three; this one has the defaults of the contract. */
const WHOLE = { interval: "day", from: "now-30d/d", to: "now", time_zone: "UTC" } as const;

function trendRows({ series: asked }: TrendRequest, { series, previous }: TrendAnswer): Cell[][] {
  const rows = (found: TrendAnswer["series"], time: string) =>
    found.flatMap(({ series: place, breakdown, points }) =>
      points.map(({ at, value }): Cell[] => {
        const { event, segment, measure } = asked[place] ?? { measure: "count" };
        return [time, place, segment ?? event ?? "any event", segment ? "size" : measure, breakdown, at, value];
      }),
    );
  return [
    ["time", "series", "of", "measure", "breakdown", "at", "value"],
    ...rows(series, "asked"),
    ...rows(previous?.series ?? [], "previous"),
  ];
}

function funnelRows({ groups }: FunnelAnswer): Cell[][] {
  return [
    ["breakdown", "step", "users", "of_first", "of_before"],
    ...groups.flatMap(({ breakdown, steps }) =>
      steps.map(({ users, of_first, of_before }, step): Cell[] => [breakdown, step, users, of_first, of_before]),
    ),
  ];
}

function retentionRows({ cohorts }: RetentionAnswer): Cell[][] {
  const intervals = cohorts[0]?.returned.map((_, place) => `returned_${place}`) ?? [];
  return [["at", "users", ...intervals], ...cohorts.map(({ at, users, returned }): Cell[] => [at, users, ...returned])];
}

function toCsv(rows: readonly Cell[][]): string {
  const textOf = (cell: Cell) => (typeof cell === "string" ? withoutFormula(cell) : String(cell ?? ""));
  return rows.map((cells) => `${cells.map((cell) => csvCell(textOf(cell), ",")).join(",")}\r\n`).join("");
}
