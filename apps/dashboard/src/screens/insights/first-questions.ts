import type { InsightQuestion } from "@muster/protocol/api/insights";
import type { InsightKind } from "../../insights/insight-words.js";

const TIME = { from: "now-30d/d", to: "now", time_zone: "UTC" } as const;

/** What the screen begins with. */
export const FIRST_QUESTIONS: Readonly<Record<InsightKind, InsightQuestion>> = {
  trend: { trend: { series: [{ measure: "count" }], interval: "day", limit: 10, ...TIME } },
  funnel: { funnel: { steps: [{}, {}], within: "7d", limit: 10, ...TIME } },
  retention: { retention: { interval: "week", ...TIME, from: "now-8w/w" } },
};
