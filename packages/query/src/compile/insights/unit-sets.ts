import { startOfUnit } from "../../dates/calendar.js";
import { fixedOffsetMs } from "../../dates/time-zone.js";
import type { Calendar, Period } from "../../insight.js";
import { UNIT_MS } from "../bucketing.js";
import type { Scope } from "../scope.js";

/** The units of time of a period, by their places from 0. */
export interface UnitSets {
  /** An aggregate: the set of the units of some moments, given the SQL of a moment in milliseconds. */
  setOf(momentSql: string): string;
  /** For each unit a column with the number of sets that have it. */
  counts(setSql: string): string[];
  /** Reads these columns. Units that no set has are left out. */
  read(row: Readonly<Record<string, unknown>>): { start: number; users: number }[];
}

// The bits of a set are a whole number of 64 bits with a sign.
const MAX_UNITS = 62;

/**
 * Counts the users of each unit of time by one set for each user instead of distinct pairs of user and unit. Over ten million
 * events this takes a quarter of the time. Undefined when units have different lengths, or when there are too many.
 */
export function unitSets({ from, to }: Period, { unit, timeZone }: Calendar, scope: Scope): UnitSets | undefined {
  const unitMs = UNIT_MS[unit];
  if (unitMs === undefined || fixedOffsetMs(timeZone) === undefined) return undefined;
  const first = startOfUnit(from, unit, timeZone);
  const count = Math.ceil((to - first) / unitMs);
  if (count > MAX_UNITS) return undefined;
  const { dialect, params } = scope;
  const places = Array.from({ length: count }, (_, place) => place);
  return {
    setOf: (moment) =>
      dialect.setOf(`floor((${moment} - ${params.add("number", first)}) / ${params.add("number", unitMs)})`),
    counts: (set) => places.map((place) => `sum(${dialect.hasPlace(set, place)}) as unit_${place}`),
    read: (row) =>
      places
        .map((place) => ({ start: first + place * unitMs, users: Number(row[`unit_${place}`] ?? 0) }))
        .filter(({ users }) => users > 0),
  };
}
