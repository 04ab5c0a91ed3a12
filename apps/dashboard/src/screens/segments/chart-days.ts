import { MAX_CHART_POINTS } from "@muster/protocol/api/choices";

const DAYS = 30;

/** The days before today whose sizes the list of segments draws: fewer when there are too many segments for one answer. */
export function chartDays(segmentCount: number): number {
  const points = Math.floor(MAX_CHART_POINTS / Math.max(1, segmentCount));
  return Math.max(1, Math.min(DAYS, points - 1));
}
