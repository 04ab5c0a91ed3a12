import { DAY_MS, HOUR_MS, MINUTE_MS } from "@muster/protocol";

/** Numbers, shares and times in the viewer's language and time zone. */

const whole = new Intl.NumberFormat();
const oneDigit = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 });
const compact = new Intl.NumberFormat(undefined, { notation: "compact", maximumSignificantDigits: 3 });
const percent = new Intl.NumberFormat(undefined, { style: "percent", maximumFractionDigits: 1 });
// One clock on all screens: a list with 24 hours beside a panel with 12 would need to be converted in the head.
const exactTime = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium", hourCycle: "h23" });
const clock = new Intl.DateTimeFormat(undefined, {
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  hourCycle: "h23",
});
const relative = new Intl.RelativeTimeFormat(undefined, { numeric: "auto", style: "short" });

/** @example formatNumber(1204) // "1,204" */
export function formatNumber(value: number): string {
  return Number.isInteger(value) ? whole.format(value) : oneDigit.format(value);
}

/** For axes: as many digits as a step between two of them needs. @example formatCompact(1_250) // "1.25K" */
export function formatCompact(value: number): string {
  return compact.format(value);
}

/** @example formatShare(0.123) // "12.3%" */
export function formatShare(value: number): string {
  return value > 0 && value < 0.001 ? `< ${percent.format(0.001)}` : percent.format(value);
}

/** @example formatCount(1, "user") // "1 user"; formatCount(1204, "user") // "1,204 users" */
export function formatCount(count: number, noun: string, plural = `${noun}s`): string {
  return `${formatNumber(count)} ${count === 1 ? noun : plural}`;
}

/** @example formatDuration(1_240) // "1.2 s" */
export function formatDuration(ms: number): string {
  if (ms < 1_000) return `${whole.format(Math.round(ms))} ms`;
  if (ms < MINUTE_MS) return `${oneDigit.format(ms / 1_000)} s`;
  if (ms < HOUR_MS) return `${oneDigit.format(ms / MINUTE_MS)} min`;
  if (ms < DAY_MS) return `${oneDigit.format(ms / HOUR_MS)} h`;
  return `${oneDigit.format(ms / DAY_MS)} days`;
}

/** The exact time in the viewer's zone. */
export function formatTime(time: string | number | Date): string {
  return exactTime.format(new Date(time));
}

/** The time of day in the viewer's zone. @example formatClock(time) // "14:03:09" */
export function formatClock(time: string | number | Date): string {
  return clock.format(new Date(time));
}

const STEPS: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ["second", 60],
  ["minute", 60],
  ["hour", 24],
  ["day", 30],
  ["month", 12],
  ["year", Number.POSITIVE_INFINITY],
];

/** @example formatRelative(now - 90_000, now) // "2 min. ago" */
export function formatRelative(time: string | number | Date, now = Date.now()): string {
  let amount = (new Date(time).getTime() - now) / 1_000;
  for (const [unit, size] of STEPS) {
    if (Math.abs(amount) < size) return relative.format(Math.round(amount), unit);
    amount /= size;
  }
  return formatTime(time);
}
