import type { Dialect } from "@muster/query";

type Unit = Parameters<Dialect["startOfUnit"]>[1];

const UNIT_WORDS: Readonly<Record<Unit, string>> = {
  y: "year",
  q: "quarter",
  M: "month",
  w: "week",
  d: "day",
  h: "hour",
  m: "minute",
  s: "second",
};

/** The milliseconds of a DateTime64, as a number. */
export function milliseconds(sql: string): string {
  return `toFloat64(toUnixTimestamp64Milli(${sql}))`;
}

/** The start of the calendar unit that contains a time. Both are in milliseconds. */
export function startOfUnit(ms: string, unit: Unit, zone: string): string {
  // Rounded down to whole seconds: before 1970 the engine rounds fractions up, which may lead to the next unit.
  const moment = `fromUnixTimestamp64Milli(toInt64(floor(assumeNotNull(${ms}) / 1000) * 1000), 'UTC')`;
  return milliseconds(`toDateTime64(dateTrunc('${UNIT_WORDS[unit]}', ${moment}, ${zone}), 3, ${zone})`);
}
