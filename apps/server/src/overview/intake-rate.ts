import { HOUR_MS, MINUTE_MS } from "@muster/protocol";
import type { Intake } from "@muster/protocol/api/overview";
import type { Database } from "../storage/postgres/database.js";
import { hasIntake, INTAKE_INTERVAL_MS, readIntake } from "../storage/postgres/figures/intake-figures.js";

const MINUTES = 60;

/** How many records arrive now, and how many arrived in each of the last sixty minutes. */
export async function readIntakeRate(database: Database, organizationId: string, now: Date): Promise<Intake> {
  const thisMinute = Math.floor(now.getTime() / MINUTE_MS) * MINUTE_MS;
  const first = thisMinute - HOUR_MS + MINUTE_MS;
  const [intervals, any] = await Promise.all([
    readIntake(database, organizationId, new Date(first)),
    hasIntake(database, organizationId),
  ]);
  const byMinute = new Map<number, number>();
  for (const { at, entries } of intervals) {
    const minute = Math.floor(at.getTime() / MINUTE_MS) * MINUTE_MS;
    byMinute.set(minute, (byMinute.get(minute) ?? 0) + entries);
  }
  const minutes = Array.from({ length: MINUTES }, (_, index) => {
    const at = first + index * MINUTE_MS;
    return { at: new Date(at).toISOString(), count: byMinute.get(at) ?? 0 };
  });
  return { any, per_second: ratePerSecond(intervals, now.getTime()), minutes };
}

/** The average of the last ten to twenty seconds: of the interval that is under way and the one before it. */
export function ratePerSecond(intervals: readonly { at: Date; entries: number }[], now: number): number {
  const present = Math.floor(now / INTAKE_INTERVAL_MS) * INTAKE_INTERVAL_MS;
  const from = present - INTAKE_INTERVAL_MS;
  const entries = intervals
    .filter(({ at }) => at.getTime() >= from)
    .reduce((sum, interval) => sum + interval.entries, 0);
  const rate = (entries * 1_000) / (now - from);
  return rate < 10 ? Math.round(rate * 10) / 10 : Math.round(rate);
}
