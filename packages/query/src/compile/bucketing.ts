import type { BucketAggregation, Bucketing, DateBucketing } from "../aggregation.js";
import type { CalendarUnit } from "../dates/calendar.js";
import { fixedOffsetMs } from "../dates/time-zone.js";
import { QueryError } from "../query-error.js";
import type { Column } from "./column.js";
import { compileQuery } from "./compile-query.js";
import type { Joins } from "./joins.js";
import { and, negate, settled, TRUE } from "./logic.js";
import { dynamicTexts } from "./metric.js";
import type { Scope } from "./scope.js";
import { requireDate, requireNumber } from "./values.js";

/** How a row comes to its buckets: the SQL of the bucket's key, and which rows have one. */
export interface CompiledBucketing {
  readonly key: string;
  readonly where: string;
  /** What a key is, for showing it. */
  readonly keys: "text" | "number" | "boolean" | "date" | "place";
}

interface KeyValue {
  readonly sql: string;
  readonly isArray: boolean;
  readonly keys: CompiledBucketing["keys"];
}

/** `level` 1 is inside another bucketing. */
export function compileBucketing(
  aggregation: BucketAggregation,
  joins: Joins,
  scope: Scope,
  level: 0 | 1,
): CompiledBucketing {
  const { by, path } = aggregation;
  switch (by.kind) {
    case "filter":
      return { key: "0", where: compileQuery(by.query, scope), keys: "place" };
    case "missing":
      return { key: "0", where: negate(compileQuery({ kind: "exists", path, field: by.field }, scope)), keys: "place" };
    case "filters":
      return places(
        by.filters.map(({ query }) => compileQuery(query, scope)),
        level,
      );
    case "range":
      return rangePlaces(by, path, joins, scope, level);
    case "terms":
      return termKeys(
        joins.value(by.field, (column) => termValue(column, path)),
        level,
      );
    case "histogram": {
      const value = joins.value(by.field, (column) => numberValue(column, path));
      const interval = scope.params.add("Float64", by.interval);
      const offset = scope.params.add("Float64", by.offset);
      return {
        key: `floor((${value.sql} - ${offset}) / ${interval}) * ${interval} + ${offset}`,
        where: `isNotNull(${value.sql})`,
        keys: "number",
      };
    }
    case "date_histogram": {
      const value = joins.value(by.field, (column) => dateValue(column, path));
      return { key: dateKey(value.sql, by, scope), where: `isNotNull(${value.sql})`, keys: "date" };
    }
  }
}

/** Keys are the places, counted from 0, of the conditions that hold. */
function places(conditions: readonly string[], level: 0 | 1): CompiledBucketing {
  const held = `[${conditions.map((condition, index) => `if(${settled(condition)}, ${index}, -1)`).join(", ")}]`;
  return { key: apart(`arrayFilter(x -> x >= 0, ${held})`, level), where: TRUE, keys: "place" };
}

function rangePlaces(
  by: Extract<Bucketing, { kind: "range" }>,
  path: string,
  joins: Joins,
  scope: Scope,
  level: 0 | 1,
): CompiledBucketing {
  const value = joins.value(by.field, (column) => rangeValue(column, path));
  const read = (bound: string | number) =>
    value.keys === "date" ? requireDate(bound, path, scope).first : requireNumber(bound, path);
  const conditions = by.ranges.map(({ from, to }) =>
    and([
      from === undefined ? TRUE : `${value.sql} >= ${scope.params.add("Float64", read(from))}`,
      to === undefined ? TRUE : `${value.sql} < ${scope.params.add("Float64", read(to))}`,
    ]),
  );
  return places(conditions, level);
}

function termKeys(value: KeyValue, level: 0 | 1): CompiledBucketing {
  const { sql, keys } = value;
  if (!value.isArray) return { key: `assumeNotNull(${sql})`, where: `isNotNull(${sql})`, keys };
  return { key: `assumeNotNull(${apart(`arrayDistinct(${sql})`, level)})`, where: TRUE, keys };
}

/** A row for each element. The engine runs equal `arrayJoin`s once, so an inner one must not look like the outer. */
function apart(array: string, level: 0 | 1): string {
  return `arrayJoin(${level === 0 ? array : `arrayReverse(${array})`})`;
}

function termValue(column: Column, path: string): KeyValue {
  const { sql } = column;
  switch (column.type) {
    case "unknown":
      return { sql: "cast(null, 'Nullable(String)')", isArray: false, keys: "text" };
    case "string":
    case "json":
      return { sql, isArray: false, keys: "text" };
    case "id":
      return { sql: `toString(${sql})`, isArray: false, keys: "text" };
    case "numeric":
      return { sql, isArray: false, keys: "number" };
    case "boolean":
      return { sql: `toUInt8(${sql})`, isArray: false, keys: "boolean" };
    case "date":
      return { sql, isArray: false, keys: "date" };
    case "instant":
      return { sql: milliseconds(sql), isArray: false, keys: "date" };
    case "array":
      return { sql, isArray: true, keys: "text" };
    case "dynamic":
      return { sql: dynamicTexts(sql), isArray: true, keys: "text" };
    case "memberships":
      throw new QueryError(path, "expected a field with values");
  }
}

function numberValue(column: Column, path: string): KeyValue {
  if (column.type === "numeric") return { sql: column.sql, isArray: false, keys: "number" };
  if (column.type === "dynamic") return { sql: `${column.sql}.:Float64`, isArray: false, keys: "number" };
  if (column.type === "unknown") return { sql: "cast(null, 'Nullable(Float64)')", isArray: false, keys: "number" };
  throw new QueryError(path, "expected a numeric field");
}

function dateValue(column: Column, path: string): KeyValue {
  if (column.type === "date") return { sql: column.sql, isArray: false, keys: "date" };
  if (column.type === "instant") return { sql: milliseconds(column.sql), isArray: false, keys: "date" };
  if (column.type === "unknown") return { sql: "cast(null, 'Nullable(Float64)')", isArray: false, keys: "date" };
  throw new QueryError(path, "expected a date field");
}

function rangeValue(column: Column, path: string): KeyValue {
  return column.type === "date" || column.type === "instant" ? dateValue(column, path) : numberValue(column, path);
}

function milliseconds(sql: string): string {
  return `toFloat64(toUnixTimestamp64Milli(${sql}))`;
}

const UNIT_WORDS: Readonly<Record<CalendarUnit, string>> = {
  y: "year",
  q: "quarter",
  M: "month",
  w: "week",
  d: "day",
  h: "hour",
  m: "minute",
  s: "second",
};

const UNIT_MS: Readonly<Partial<Record<CalendarUnit, number>>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** The start of the bucket in milliseconds. The engine has no time zones that are offsets: those shift the clock instead. */
function dateKey(sql: string, by: DateBucketing, scope: Scope): string {
  const offset = fixedOffsetMs(by.timeZone);
  const shift = scope.params.add("Int64", offset ?? 0);
  const shifted = `(toInt64(assumeNotNull(${sql})) + ${shift})`;
  if (by.count > 1) {
    const interval = scope.params.add("Int64", by.count * (UNIT_MS[by.unit] ?? 0));
    return `toFloat64(${shifted} - positiveModulo(${shifted}, ${interval}) - ${shift})`;
  }
  const zone = scope.params.add("String", offset === undefined ? by.timeZone : "UTC");
  const start = `dateTrunc('${UNIT_WORDS[by.unit]}', fromUnixTimestamp64Milli(${shifted}, 'UTC'), ${zone})`;
  return `toFloat64(toUnixTimestamp64Milli(toDateTime64(${start}, 3, ${zone})) - ${shift})`;
}
