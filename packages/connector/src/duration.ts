import { DAY_MS, HOUR_MS, MINUTE_MS } from "@muster/protocol";

const UNITS: Record<string, number> = { ms: 1, s: 1_000, m: MINUTE_MS, h: HOUR_MS };

/**
 * Milliseconds of a duration: a number is milliseconds already, text has a unit.
 *
 * @example
 * parseDuration("25s"); // 25000
 */
export function parseDuration(given: number | string): number {
  const [, digits = "", unit = "ms"] = /^\s*(\d+(?:\.\d+)?)\s*(ms|s|m|h)?\s*$/.exec(String(given)) ?? [];
  const milliseconds = Number(digits) * (UNITS[unit] ?? Number.NaN);
  // A Node timer of more than 31 bits fires at once, so a very long timeout would end every request.
  if (digits === "" || !(milliseconds > 0 && milliseconds <= DAY_MS)) {
    throw new Error(`"${given}" is not a duration: give milliseconds from 1 to a day, or text such as "25s".`);
  }
  return milliseconds;
}
