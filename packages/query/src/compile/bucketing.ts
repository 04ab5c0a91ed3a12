import { DAY_MS, HOUR_MS, MINUTE_MS } from "@muster/protocol";
import type { BucketAggregation, Bucketing, DateBucketing } from "../aggregation.js";
import type { CalendarUnit } from "../dates/calendar.js";
import { fixedOffsetMs } from "../dates/time-zone.js";
import { QueryError } from "../query-error.js";
import type { Column } from "./column.js";
import { compileQuery } from "./compile-query.js";
import type { Joins } from "./joins.js";
import { and, bit, negate, TRUE } from "./logic.js";
import type { Scope } from "./scope.js";
import { requireDate, requireNumber } from "./values.js";

/** How rows are put into buckets: the SQL of the bucket's key, and the condition for rows that have one. */
export interface CompiledBucketing {
  readonly key: string;
  /** Whether `key` is a list: the row is in the bucket of each element. */
  readonly isList: boolean;
  readonly where: string;
  /** The type of the keys, which decides how they are shown. */
  readonly keys: "text" | "number" | "boolean" | "date" | "place";
}

interface KeyValue {
  readonly sql: string;
  readonly isArray: boolean;
  readonly keys: CompiledBucketing["keys"];
}

export function compileBucketing(aggregation: BucketAggregation, joins: Joins, scope: Scope): CompiledBucketing {
  const { by, path } = aggregation;
  switch (by.kind) {
    case "filter":
      return { key: "0", isList: false, where: compileQuery(by.query, scope), keys: "place" };
    case "missing":
      return {
        key: "0",
        isList: false,
        where: negate(compileQuery({ kind: "exists", path, field: by.field }, scope)),
        keys: "place",
      };
    case "filters":
      return places(
        by.filters.map(({ query }) => compileQuery(query, scope)),
        scope,
      );
    case "range":
      return rangePlaces(by, path, joins, scope);
    case "terms":
      return termKeys(
        joins.value(by.field, (column) => termValue(column, path, scope)),
        scope,
      );
    case "histogram": {
      const value = joins.value(by.field, (column) => numberValue(column, path, scope));
      const interval = scope.params.add("number", by.interval);
      const offset = scope.params.add("number", by.offset);
      return {
        key: `floor((${value.sql} - ${offset}) / ${interval}) * ${interval} + ${offset}`,
        isList: false,
        where: `${value.sql} is not null`,
        keys: "number",
      };
    }
    case "date_histogram": {
      const value = joins.value(by.field, (column) => dateValue(column, path, scope));
      return { key: dateKey(value.sql, by, scope), isList: false, where: `${value.sql} is not null`, keys: "date" };
    }
  }
}

/** The keys are the indexes of the conditions that hold. */
function places(conditions: readonly string[], { dialect }: Scope): CompiledBucketing {
  return { key: dialect.placesOf(conditions), isList: true, where: TRUE, keys: "place" };
}

function rangePlaces(
  by: Extract<Bucketing, { kind: "range" }>,
  path: string,
  joins: Joins,
  scope: Scope,
): CompiledBucketing {
  const value = joins.value(by.field, (column) => rangeValue(column, path, scope));
  const read = (bound: string | number) =>
    value.keys === "date" ? requireDate(bound, path, scope).first : requireNumber(bound, path);
  const conditions = by.ranges.map(({ from, to }) =>
    and([
      from === undefined ? TRUE : `${value.sql} >= ${scope.params.add("number", read(from))}`,
      to === undefined ? TRUE : `${value.sql} < ${scope.params.add("number", read(to))}`,
    ]),
  );
  return places(conditions, scope);
}

function termKeys({ sql, isArray, keys }: KeyValue, { dialect }: Scope): CompiledBucketing {
  return isArray
    ? { key: dialect.distinct(sql), isList: true, where: TRUE, keys }
    : { key: sql, isList: false, where: `${sql} is not null`, keys };
}

function termValue(column: Column, path: string, { dialect }: Scope): KeyValue {
  const { sql } = column;
  switch (column.type) {
    case "unknown":
      return { sql: dialect.nullOf("text"), isArray: false, keys: "text" };
    case "string":
    case "json":
      return { sql, isArray: false, keys: "text" };
    case "id":
      return { sql: dialect.idText(sql), isArray: false, keys: "text" };
    case "numeric":
      return { sql, isArray: false, keys: "number" };
    case "boolean":
      return { sql: bit(sql), isArray: false, keys: "boolean" };
    case "date":
      return { sql, isArray: false, keys: "date" };
    case "instant":
      return { sql: dialect.milliseconds(sql), isArray: false, keys: "date" };
    case "array":
      return { sql, isArray: true, keys: "text" };
    case "dynamic":
      return { sql: dialect.dynamicTexts(sql), isArray: true, keys: "text" };
    case "memberships":
      throw new QueryError(path, "expected a field with values");
  }
}

function numberValue(column: Column, path: string, { dialect }: Scope): KeyValue {
  if (column.type === "numeric") return { sql: column.sql, isArray: false, keys: "number" };
  if (column.type === "dynamic") return { sql: dialect.dynamic(column.sql).number, isArray: false, keys: "number" };
  if (column.type === "unknown") return { sql: dialect.nullOf("number"), isArray: false, keys: "number" };
  throw new QueryError(path, "expected a numeric field");
}

function dateValue(column: Column, path: string, { dialect }: Scope): KeyValue {
  if (column.type === "date") return { sql: column.sql, isArray: false, keys: "date" };
  if (column.type === "instant") return { sql: dialect.milliseconds(column.sql), isArray: false, keys: "date" };
  if (column.type === "unknown") return { sql: dialect.nullOf("number"), isArray: false, keys: "date" };
  throw new QueryError(path, "expected a date field");
}

function rangeValue(column: Column, path: string, scope: Scope): KeyValue {
  return column.type === "date" || column.type === "instant"
    ? dateValue(column, path, scope)
    : numberValue(column, path, scope);
}

const UNIT_MS: Readonly<Partial<Record<CalendarUnit, number>>> = {
  s: 1_000,
  m: MINUTE_MS,
  h: HOUR_MS,
  d: DAY_MS,
  w: 7 * DAY_MS,
};
// 1970 began on a Thursday, three days after the start of a week.
const WEEK_SHIFT_MS = 3 * DAY_MS;

/**
 * The start of the bucket in milliseconds. Engines have no zones such as `+02:00`, so the time is shifted by that offset. Where
 * all units have the same length it is arithmetic, which takes a tenth of the time of an engine's calendar.
 */
function dateKey(sql: string, by: DateBucketing, scope: Scope): string {
  const offset = fixedOffsetMs(by.timeZone);
  const unitMs = UNIT_MS[by.unit];
  if (unitMs !== undefined && (by.count > 1 || offset !== undefined)) {
    const isWeek = by.unit === "w" && by.count === 1;
    const shift = scope.params.add("number", (offset ?? 0) + (isWeek ? WEEK_SHIFT_MS : 0));
    const interval = scope.params.add("number", by.count * unitMs);
    return `floor((${sql} + ${shift}) / ${interval}) * ${interval} - ${shift}`;
  }
  const shift = scope.params.add("number", offset ?? 0);
  const shifted = `(${sql} + ${shift})`;
  const zone = scope.params.add("text", offset === undefined ? by.timeZone : "UTC");
  return `${scope.dialect.startOfUnit(shifted, by.unit, zone)} - ${shift}`;
}
