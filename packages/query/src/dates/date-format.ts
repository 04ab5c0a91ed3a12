import { DAY_MS, HOUR_MS } from "@muster/protocol";
import { fromLocal } from "./time-zone.js";

/** The first and the last millisecond that a written date can mean (`2024-01-01` is a whole day). */
export interface WrittenDate {
  readonly first: number;
  readonly last: number;
}

type Reader = (text: string, zone: string) => WrittenDate | undefined;

const ISO =
  /^(?<year>\d{4})(?:-(?<month>\d{2})(?:-(?<day>\d{2})(?:[T ](?<hour>\d{2})(?::(?<minute>\d{2})(?::(?<second>\d{2})(?:[.,](?<fraction>\d{1,9}))?)?)?(?<zone>Z|[+-]\d{2}:?\d{2})?)?)?)?$/;

const NAMED_PATTERNS: Readonly<Record<string, string>> = {
  date: "yyyy-MM-dd",
  year: "yyyy",
  year_month: "yyyy-MM",
  year_month_day: "yyyy-MM-dd",
  basic_date: "yyyyMMdd",
  basic_date_time: "yyyyMMdd'T'HHmmss.SSSXX",
  basic_date_time_no_millis: "yyyyMMdd'T'HHmmssXX",
  date_hour_minute: "yyyy-MM-dd'T'HH:mm",
  date_hour_minute_second: "yyyy-MM-dd'T'HH:mm:ss",
  date_hour_minute_second_millis: "yyyy-MM-dd'T'HH:mm:ss.SSS",
  date_time: "yyyy-MM-dd'T'HH:mm:ss.SSSXX",
  date_time_no_millis: "yyyy-MM-dd'T'HH:mm:ssXX",
};

const PATTERN_FIELDS: Readonly<Record<string, string>> = {
  yyyy: "(?<year>\\d{4})",
  uuuu: "(?<year>\\d{4})",
  MM: "(?<month>\\d{2})",
  M: "(?<month>\\d{1,2})",
  dd: "(?<day>\\d{2})",
  d: "(?<day>\\d{1,2})",
  HH: "(?<hour>\\d{2})",
  H: "(?<hour>\\d{1,2})",
  mm: "(?<minute>\\d{2})",
  ss: "(?<second>\\d{2})",
  S: "(?<fraction>\\d{1,9})",
  SSS: "(?<fraction>\\d{3})",
  Z: "(?<zone>Z|[+-]\\d{2}:?\\d{2})",
  X: "(?<zone>Z|[+-]\\d{2}:?\\d{2})",
  XX: "(?<zone>Z|[+-]\\d{2}:?\\d{2})",
  XXX: "(?<zone>Z|[+-]\\d{2}:?\\d{2})",
};

export const DEFAULT_DATE_FORMAT = "strict_date_optional_time||epoch_millis";

/** Readers for a format such as `yyyy-MM-dd||epoch_millis`; undefined when a part of the format is unknown. */
export function dateReaders(format: string): readonly Reader[] | undefined {
  const readers = format.split("||").map(readerOf);
  return readers.every((reader) => reader !== undefined) ? readers : undefined;
}

export function readWrittenDate(text: string, readers: readonly Reader[], zone: string): WrittenDate | undefined {
  for (const read of readers) {
    const date = read(text, zone);
    if (date !== undefined) return date;
  }
  return undefined;
}

function readerOf(name: string): Reader | undefined {
  const plain = name.replace(/^strict_/, "");
  switch (plain) {
    case "epoch_millis":
      return (text) => readEpoch(text, 1);
    case "epoch_second":
      return (text) => readEpoch(text, 1000);
    case "date_optional_time":
    case "date_optional_time_nanos":
      return (text, zone) => readParts(ISO.exec(text), zone);
  }
  const pattern = Object.hasOwn(NAMED_PATTERNS, plain) ? NAMED_PATTERNS[plain] : name;
  const expression = pattern === undefined ? undefined : patternExpression(pattern);
  return expression && ((text, zone) => readParts(expression.exec(text), zone));
}

function readEpoch(text: string, unitMs: number): WrittenDate | undefined {
  if (!/^-?\d+(\.\d+)?$/.test(text)) return undefined;
  const first = Math.floor(Number(text) * unitMs);
  return { first, last: first };
}

function patternExpression(pattern: string): RegExp | undefined {
  let source = "";
  for (const [token] of pattern.matchAll(/'(?:[^']|'')*'|([A-Za-z])\1*|[^A-Za-z']/g)) {
    if (token.startsWith("'")) source += escapeExpression(token === "''" ? "'" : token.slice(1, -1));
    else if (!/[A-Za-z]/.test(token) || token === "T") source += escapeExpression(token);
    else if (Object.hasOwn(PATTERN_FIELDS, token)) source += PATTERN_FIELDS[token];
    else return undefined;
  }
  // A format needs a year, and each part only once. Any other format would be read wrongly.
  const names = [...source.matchAll(/\(\?<(\w+)>/g)].map((match) => match[1]);
  return names.includes("year") && new Set(names).size === names.length ? new RegExp(`^${source}$`) : undefined;
}

function escapeExpression(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/-]/g, "\\$&");
}

/** A missing month or day is the first, as in Elasticsearch. A date without a time of day means the whole day. */
function readParts(match: RegExpExecArray | null, zone: string): WrittenDate | undefined {
  if (match === null) return undefined;
  const { year, month = "1", day = "1", hour, minute, second, fraction, zone: written } = match.groups ?? {};
  const parts = [Number(year), Number(month) - 1, Number(day), Number(hour ?? 0), Number(minute ?? 0)] as const;
  const milliseconds = Math.floor(Number(`0.${fraction ?? "0"}`) * 1000);
  const local = utcMs(...parts, Number(second ?? 0), milliseconds);
  if (local === undefined) return undefined;
  const first = fromLocal(local, written ?? zone);
  return { first, last: first + widthMs(hour, minute, second, fraction) - 1 };
}

function widthMs(hour?: string, minute?: string, second?: string, fraction?: string): number {
  if (hour === undefined) return DAY_MS;
  if (minute === undefined) return HOUR_MS;
  if (second === undefined) return 60_000;
  return fraction === undefined ? 1000 : 1;
}

/** Undefined for parts that `Date.UTC` would carry over (31 February, 25 o'clock). */
function utcMs(
  ...[year, month, day, hour, minute, second, ms]: [number, number, number, number, number, number, number]
) {
  const date = new Date(0);
  date.setUTCFullYear(year, month, day);
  date.setUTCHours(hour, minute, second, ms);
  const same = date.getUTCMonth() === month && date.getUTCDate() === day && date.getUTCHours() === hour;
  return same && minute < 60 && second < 60 ? date.getTime() : undefined;
}
