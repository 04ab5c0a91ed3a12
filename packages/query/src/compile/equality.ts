import type { Scalar, TermsQuery } from "../query.js";
import { type Column, TEXT_ARRAY } from "./column.js";
import { FALSE, or, TRUE } from "./logic.js";
import { membershipRows } from "./membership-rows.js";
import { inInterval } from "./range.js";
import type { Scope } from "./scope.js";
import { booleanFrom, isObjectId, numberFrom, requireBoolean, requireDate, requireNumber } from "./values.js";

/** The column holds one of the values; an array, when any element is one. */
export function equalsAny(column: Column, query: TermsQuery, scope: Scope): string {
  const { values, path } = query;
  if (values.length === 0) return FALSE;
  switch (column.type) {
    case "unknown":
      return FALSE;
    case "string":
    case "json":
      return textIn(column.sql, values, scope);
    case "array":
      return `hasAny(${column.sql}, ${scope.params.addList("String", values.map(String))})`;
    case "numeric":
      return numberIn(
        column.sql,
        values.map((value) => requireNumber(value, path)),
        scope,
      );
    case "boolean":
      return booleanIn(
        column.sql,
        values.map((value) => requireBoolean(value, path)),
        scope,
      );
    case "date":
    case "instant":
      return or(values.map((value) => inInterval(column, requireDate(value, path, scope), scope)));
    case "id":
      return idIn(column.sql, values, scope);
    case "dynamic":
      return dynamicIn(column.sql, values, scope);
    case "memberships":
      return memberOf(column.sql, values, scope);
  }
}

/** In any segment at all when no values are given. */
export function memberOf(id: string, values: readonly Scalar[] | undefined, scope: Scope): string {
  const segments = values === undefined ? TRUE : idIn("segment_id", values, scope);
  return segments === FALSE ? FALSE : `${id} in (select entity_id from ${membershipRows(segments, scope)})`;
}

/** Values that are no ids equal none: they are dropped here, because the engine refuses to compare them. */
function idIn(sql: string, values: readonly Scalar[], scope: Scope): string {
  const ids = values.filter(isObjectId);
  const [first] = ids;
  if (first === undefined) return FALSE;
  if (ids.length === 1) return `${sql} = ${scope.params.add("FixedString(24)", first)}`;
  return `${sql} in ${scope.params.addList("FixedString(24)", ids)}`;
}

function textIn(sql: string, values: readonly Scalar[], scope: Scope): string {
  const texts = values.map(String);
  const [first] = texts;
  if (first !== undefined && texts.length === 1) return `${sql} = ${scope.params.add("String", first)}`;
  return `${sql} in ${scope.params.addList("String", texts)}`;
}

function numberIn(sql: string, values: readonly number[], scope: Scope): string {
  const [first] = values;
  if (first === undefined) return FALSE;
  if (values.length === 1) return `${sql} = ${scope.params.add("Float64", first)}`;
  return `${sql} in ${scope.params.addNumbers(values)}`;
}

function booleanIn(sql: string, values: readonly boolean[], scope: Scope): string {
  return or([...new Set(values)].map((value) => `${sql} = ${scope.params.add("Bool", value)}`));
}

/** Event properties declare no type, so a value is compared with whatever it can be read as. */
function dynamicIn(sql: string, values: readonly Scalar[], scope: Scope): string {
  const numbers = values.map(numberFrom).filter((value) => value !== undefined);
  const booleans = values.map(booleanFrom).filter((value) => value !== undefined);
  return or([
    textIn(`${sql}.:String`, values, scope),
    `hasAny(${sql}.:${TEXT_ARRAY}, ${scope.params.addList("String", values.map(String))})`,
    numberIn(`${sql}.:Float64`, numbers, scope),
    booleanIn(`${sql}.:Bool`, booleans, scope),
  ]);
}
