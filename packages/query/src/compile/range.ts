import type { WrittenDate } from "../dates/date-format.js";
import type { Bound, RangeQuery } from "../query.js";
import { QueryError } from "../query-error.js";
import type { Column } from "./column.js";
import { and, FALSE, or, settled } from "./logic.js";
import type { Scope } from "./scope.js";
import { dateFrom, numberFrom, requireDate, requireNumber } from "./values.js";

const OPERATORS: Readonly<Record<Bound, string>> = { gt: ">", gte: ">=", lt: "<", lte: "<=" };

/** The condition that the value, or any element of an array, is within the bounds. */
export function inRange(column: Column, query: RangeQuery, scope: Scope): string {
  switch (column.type) {
    case "unknown":
      return FALSE;
    case "string":
    case "json":
      return textRange(column.sql, query, scope);
    case "id":
      return textRange(scope.dialect.idText(column.sql), query, scope);
    case "numeric":
      return numberRange(column.sql, query, scope);
    case "date":
    case "instant":
      return dateRange(column, query, scope);
    case "array":
      return arrayRange(column.sql, query, scope);
    case "dynamic":
      return dynamicRange(column.sql, query, scope);
    case "boolean":
    case "memberships":
      throw new QueryError(query.path, `range needs a number, a date or a text; "${query.field.key}" is none of them`);
  }
}

/** From the first to the last millisecond that a written date can mean. */
export function inInterval(column: Column, date: WrittenDate, scope: Scope): string {
  const from = instant(column, date.first, scope);
  return date.first === date.last
    ? `${column.sql} = ${from}`
    : `(${column.sql} >= ${from} and ${column.sql} <= ${instant(column, date.last, scope)})`;
}

function dateRange(column: Column, query: RangeQuery, scope: Scope): string {
  return eachBound(query, (bound, value) => {
    const date = requireDate(value, `${query.path}.${bound}`, dateOptions(query, scope));
    const ms = bound === "gte" || bound === "lt" ? date.first : date.last;
    return `${column.sql} ${OPERATORS[bound]} ${instant(column, ms, scope)}`;
  });
}

/** An instant is compared with a constant of the same type, because only then can the engine skip rows by their time. */
function instant(column: Column, ms: number, scope: Scope): string {
  return column.type === "instant"
    ? scope.dialect.instant(scope.params.add("integer", ms))
    : scope.params.add("number", ms);
}

function numberRange(sql: string, query: RangeQuery, scope: Scope): string {
  return eachBound(query, (bound, value) => {
    const number = requireNumber(value, `${query.path}.${bound}`);
    return `${sql} ${OPERATORS[bound]} ${scope.params.add("number", number)}`;
  });
}

function textRange(sql: string, query: RangeQuery, scope: Scope): string {
  return eachBound(query, (bound, value) => `${sql} ${OPERATORS[bound]} ${scope.params.add("text", String(value))}`);
}

/** Elements are text. A numeric bound is compared with the elements that are numbers. */
function arrayRange(sql: string, query: RangeQuery, scope: Scope): string {
  const { dialect } = scope;
  const isNumeric = Object.values(query.bounds).every((value) => typeof value === "number");
  return dialect.anyElement(sql, (element) =>
    settled(isNumeric ? numberRange(dialect.numberFrom(element), query, scope) : textRange(element, query, scope)),
  );
}

/** Event properties have no declared type. The bounds decide whether numbers, dates or texts are compared. */
function dynamicRange(sql: string, query: RangeQuery, scope: Scope): string {
  const { text, number, list } = scope.dialect.dynamic(sql);
  const values = Object.values(query.bounds);
  const asksForDates = query.format !== undefined || query.timeZone !== undefined;
  if (!asksForDates && values.every((value) => numberFrom(value) !== undefined)) {
    const numeric: RangeQuery = { ...query, bounds: mapBounds(query, (value) => numberFrom(value) ?? value) };
    return or([numberRange(number, numeric, scope), arrayRange(list, numeric, scope)]);
  }
  if (values.every((value) => dateFrom(value, dateOptions(query, scope)) !== undefined)) {
    return dateRange({ type: "date", sql: scope.dialect.millisecondsOfText(text) }, query, scope);
  }
  return or([textRange(text, query, scope), arrayRange(list, query, scope)]);
}

function eachBound(query: RangeQuery, compare: (bound: Bound, value: string | number) => string): string {
  return and(boundsOf(query).map(([bound, value]) => compare(bound, value)));
}

function mapBounds(query: RangeQuery, change: (value: string | number) => string | number): RangeQuery["bounds"] {
  return Object.fromEntries(boundsOf(query).map(([bound, value]) => [bound, change(value)]));
}

function boundsOf(query: RangeQuery): [Bound, string | number][] {
  // `Object.entries` forgets that the keys are bounds.
  return Object.entries(query.bounds) as [Bound, string | number][];
}

function dateOptions(query: RangeQuery, scope: Scope) {
  return { now: scope.now, format: query.format, timeZone: query.timeZone };
}
