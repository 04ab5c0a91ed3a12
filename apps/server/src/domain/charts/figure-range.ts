import { DAY_MS, HOUR_MS, MINUTE_MS } from "@muster/protocol";
import type { FigureRange } from "@muster/protocol/api/deliveries";

/** How far back figures go, and how long each of their steps is. */
const RANGES: Readonly<Record<FigureRange, { lengthMs: number; stepMs: number }>> = {
  hour: { lengthMs: HOUR_MS, stepMs: MINUTE_MS },
  day: { lengthMs: DAY_MS, stepMs: 15 * MINUTE_MS },
  week: { lengthMs: 7 * DAY_MS, stepMs: HOUR_MS },
  month: { lengthMs: 30 * DAY_MS, stepMs: 6 * HOUR_MS },
};

/** The steps of a range that ends now. */
export interface FigureSteps {
  since: Date;
  stepMs: number;
  /** When each step begins, in milliseconds since 1970. */
  times: number[];
}

export function figureSteps(range: FigureRange, now: Date): FigureSteps {
  const { lengthMs, stepMs } = RANGES[range];
  // The first step begins at a multiple of its length, so that every bar except the last covers a whole step.
  const from = Math.floor((now.getTime() - lengthMs) / stepMs) * stepMs + stepMs;
  const length = Math.ceil((now.getTime() - from) / stepMs);
  return { since: new Date(from), stepMs, times: Array.from({ length }, (_, index) => from + index * stepMs) };
}
