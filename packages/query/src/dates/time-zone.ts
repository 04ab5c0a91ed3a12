import { HOUR_MS, MAX_DATE_MS } from "@muster/protocol";

/**
 * Arithmetic with local times. A *local* time is the date and time that a clock in the zone shows, as milliseconds since
 * 1970 as if that were UTC. So calendar steps and rounding are plain UTC arithmetic of `Date`.
 */
const FIXED_OFFSET = /^([+-])(\d{2}):?(\d{2})$/;
// One formatter for each zone that was asked for. Zone names are not case-sensitive, so the key is in lower case and there
// are only as many keys as there are zones.
const formatters = new Map<string, Intl.DateTimeFormat>();

export function isTimeZone(zone: string): boolean {
  if (zone === "Z" || FIXED_OFFSET.test(zone)) return true;
  try {
    formatterOf(zone);
    return true;
  } catch {
    return false;
  }
}

/** The offset of a zone such as `+02:00`; undefined for a named zone. */
export function fixedOffsetMs(zone: string): number | undefined {
  if (zone === "Z" || zone === "UTC") return 0;
  const [, sign, hours, minutes] = FIXED_OFFSET.exec(zone) ?? [];
  if (hours === undefined) return undefined;
  const ms = (Number(hours) * 60 + Number(minutes)) * 60_000;
  return sign === "-" ? -ms : ms;
}

export function toLocal(instantMs: number, zone: string): number {
  return instantMs + offsetMs(instantMs, zone);
}

/** The first instant at which a clock in the zone shows this time. A time that a clock change skips is moved by the gap. */
export function fromLocal(localMs: number, zone: string): number {
  const guess = localMs - offsetMs(localMs, zone);
  const before = localMs - offsetMs(guess - HOUR_MS, zone);
  return toLocal(before, zone) === localMs ? before : localMs - offsetMs(guess, zone);
}

function offsetMs(instantMs: number, zone: string): number {
  // There is no `Date` outside these limits. The caller checks the same limits and refuses the value.
  if (!(Math.abs(instantMs) <= MAX_DATE_MS)) return 0;
  const fixed = fixedOffsetMs(zone);
  if (fixed !== undefined) return fixed;
  const shown: Record<string, number> = {};
  for (const part of formatterOf(zone).formatToParts(instantMs)) shown[part.type] = Number(part.value);
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = shown;
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(instantMs / 1000) * 1000;
}

function formatterOf(zone: string): Intl.DateTimeFormat {
  let formatter = formatters.get(zone.toLowerCase());
  if (formatter === undefined) {
    formatter = new Intl.DateTimeFormat("en-US", {
      timeZone: zone,
      hourCycle: "h23",
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
      second: "numeric",
    });
    formatters.set(zone.toLowerCase(), formatter);
  }
  return formatter;
}
