import { goalMark } from "./goal-mark.js";
import { percentile } from "./percentile.js";
import type { Cell } from "./render-table.js";
import type { TimedAnswer } from "./time-rounds.js";

/** One question that was asked here and in PostgreSQL. */
export interface Compared {
  name: string;
  goalMs: number;
  ours: TimedAnswer;
  theirs: TimedAnswer;
}

/** The headings of `comparedCells`. */
export function comparedHeadings(total: string): string[] {
  return ["question", total, "p50 ms", "p95 ms", "goal", "", "PostgreSQL p50", "p95"];
}

export function comparedCells({ name, goalMs, ours, theirs }: Compared): Cell[] {
  const [p50, p95] = bounds(ours);
  return [name, ours.total, p50, p95, `≤ ${goalMs}`, goalMark(p95 <= goalMs), ...bounds(theirs)];
}

/** How long we take, as a multiple of PostgreSQL's time. */
export function ratioOf({ ours, theirs }: Pick<Compared, "ours" | "theirs">): number {
  return percentile(ours.ms, 0.5) / percentile(theirs.ms, 0.5);
}

function bounds({ ms }: TimedAnswer): [p50: number, p95: number] {
  return [percentile(ms, 0.5), percentile(ms, 0.95)];
}
