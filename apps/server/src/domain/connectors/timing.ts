import { MINUTE_MS } from "@muster/protocol";
import type { DeclaredSchedule } from "@muster/protocol/manifest";
import { Cron } from "croner";
import { type SettingValues, settingValue } from "./setting-values.js";

/** The longest interval: a year. */
const MAX_MINUTES = 366 * 24 * 60;

/**
 * When a schedule runs: `interval 5` (minutes) or `cron 0 * * * *`. The value of a setting comes first, then the value
 * in the manifest, then its default. Undefined when none of them can be used.
 */
export function timingOf(schedule: DeclaredSchedule, values: SettingValues): string | undefined {
  const set = schedule.valueFrom === undefined ? undefined : settingValue(values, schedule.valueFrom);
  const candidates = [set, schedule.value, schedule.default];
  for (const candidate of candidates) {
    const value = typeof candidate === "number" ? String(candidate) : candidate;
    if (typeof value !== "string" || value.trim() === "") continue;
    const timing = `${schedule.type} ${value.trim()}`;
    if (isTiming(timing)) return timing;
  }
  return undefined;
}

/** The first run after a moment. */
export function nextRun(timing: string, after: Date): Date {
  const [type, value] = split(timing);
  if (type === "interval") return new Date(after.getTime() + Number(value) * MINUTE_MS);
  const next = new Cron(value, { timezone: "UTC" }).nextRun(after);
  // A cron expression may name a day that does not exist, such as 30 February.
  return next ?? new Date(after.getTime() + MAX_MINUTES * MINUTE_MS);
}

function isTiming(timing: string): boolean {
  const [type, value] = split(timing);
  if (type === "interval") return Number(value) > 0 && Number(value) <= MAX_MINUTES;
  try {
    new Cron(value, { timezone: "UTC" });
    return true;
  } catch {
    return false;
  }
}

function split(timing: string): [string, string] {
  const space = timing.indexOf(" ");
  return [timing.slice(0, space), timing.slice(space + 1)];
}
