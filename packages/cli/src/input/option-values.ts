import { DAY_MS, HOUR_MS, MINUTE_MS } from "@muster/protocol";
import { InvalidArgumentError } from "commander";

/** Reads a whole number of at least 1. */
export function readCount(given: string): number {
  if (!/^[1-9]\d{0,8}$/.test(given)) throw new InvalidArgumentError("Give a whole number of at least 1.");
  return Number(given);
}

const UNITS: Record<string, number> = { s: 1_000, m: MINUTE_MS, h: HOUR_MS, d: DAY_MS };

/** Reads a duration like `90s`, `15m`, `1h` or `7d` as milliseconds. */
export function readDuration(given: string): number {
  const [, count, unit = ""] = /^([1-9]\d{0,6})([smhd])$/.exec(given) ?? [];
  const unitMs = UNITS[unit];
  if (count === undefined || unitMs === undefined)
    throw new InvalidArgumentError("Give a time like 90s, 15m, 1h or 7d.");
  return Number(count) * unitMs;
}

/** Reads a moment in the past: a date, a time, or how long ago it was, like `7d`. Returns an ISO time. */
export function readPast(given: string): string {
  const isAgo = /^\d+[smhd]$/.test(given);
  const time = isAgo ? Date.now() - readDuration(given) : Date.parse(given);
  if (Number.isNaN(time))
    throw new InvalidArgumentError("Give a time like 2026-05-01, 2026-05-01T12:00Z, or 7d for a week ago.");
  return new Date(time).toISOString();
}

/** Reads names with commas between them. */
export function readNames(given: string): string[] {
  const names = given.split(",").map((name) => name.trim());
  if (names.includes("")) throw new InvalidArgumentError("Give names with commas between them.");
  return names;
}

/** Reads `field:asc` or `field:desc` as the search language has it. A field alone is sorted upwards. */
export function readSort(given: string): Record<string, "asc" | "desc"> {
  const [, field = given, order = "asc"] = /^(.+):(asc|desc)$/.exec(given) ?? [];
  return { [field]: order === "desc" ? "desc" : "asc" };
}
