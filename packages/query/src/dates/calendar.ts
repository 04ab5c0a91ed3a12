import { HOUR_MS, MINUTE_MS } from "@muster/protocol";
import { fromLocal, toLocal } from "./time-zone.js";

/** The letters of date math; `M` is months, `m` minutes. */
export type CalendarUnit = "y" | "q" | "M" | "w" | "d" | "h" | "m" | "s";

const FIXED_MS = { h: HOUR_MS, m: MINUTE_MS, s: 1_000 } as const;

/** Days and longer follow the calendar of the zone (a day may have 23 hours); hours and shorter are plain durations. */
export function addUnits(instantMs: number, count: number, unit: CalendarUnit, zone: string): number {
  if (unit === "h" || unit === "m" || unit === "s") return instantMs + count * FIXED_MS[unit];
  const date = new Date(toLocal(instantMs, zone));
  if (unit === "d") date.setUTCDate(date.getUTCDate() + count);
  else if (unit === "w") date.setUTCDate(date.getUTCDate() + 7 * count);
  else addMonths(date, count * { y: 12, q: 3, M: 1 }[unit]);
  return fromLocal(date.getTime(), zone);
}

export function startOfUnit(instantMs: number, unit: CalendarUnit, zone: string): number {
  const date = new Date(toLocal(instantMs, zone));
  if (unit === "h" || unit === "m" || unit === "s") {
    const local = date.getTime();
    return instantMs - (local - Math.floor(local / FIXED_MS[unit]) * FIXED_MS[unit]);
  }
  date.setUTCHours(0, 0, 0, 0);
  // Weeks begin on Monday.
  if (unit === "w") date.setUTCDate(date.getUTCDate() - ((date.getUTCDay() + 6) % 7));
  if (unit === "M" || unit === "q" || unit === "y") date.setUTCDate(1);
  if (unit === "q") date.setUTCMonth(date.getUTCMonth() - (date.getUTCMonth() % 3));
  if (unit === "y") date.setUTCMonth(0);
  return fromLocal(date.getTime(), zone);
}

/** The 31st plus one month is the last day of the next month; it does not run over into the month after. */
function addMonths(date: Date, months: number): void {
  const day = date.getUTCDate();
  date.setUTCDate(1);
  date.setUTCMonth(date.getUTCMonth() + months);
  const lastDay = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
  date.setUTCDate(Math.min(day, lastDay));
}
