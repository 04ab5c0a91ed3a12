import { DAY_MS, HOUR_MS, MINUTE_MS } from "@muster/protocol";

/** A time without its milliseconds, which take room in a table; a dash when there is none. */
export function timeText(iso: string | null): string {
  return iso?.replace(/\.\d+Z$/, "Z") ?? "-";
}

/** How long ago a time is. @example ageText("2030-01-01T00:00:00Z", Date.now()) // "3h" */
export function ageText(iso: string, nowMs: number): string {
  const age = Math.max(0, nowMs - Date.parse(iso));
  if (age >= 2 * DAY_MS) return `${Math.floor(age / DAY_MS)}d`;
  if (age >= 2 * HOUR_MS) return `${Math.floor(age / HOUR_MS)}h`;
  if (age >= 2 * MINUTE_MS) return `${Math.floor(age / MINUTE_MS)}m`;
  return `${Math.floor(age / 1_000)}s`;
}
