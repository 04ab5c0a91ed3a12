import { isId } from "@muster/protocol";
import type { Scalar, TermsQuery } from "../query.js";
import type { Column } from "./column.js";
import { FALSE, or } from "./logic.js";
import { inInterval } from "./range.js";
import type { Scope } from "./scope.js";
import { booleanFrom, numberFrom, requireBoolean, requireDate, requireNumber } from "./values.js";

/** The condition that a column has one of the values; for an array, that any element is one of them. */
export function equalsAny(column: Column, query: TermsQuery, scope: Scope): string {
  const { values, path } = query;
  const { dialect, params } = scope;
  if (values.length === 0) return FALSE;
  switch (column.type) {
    case "unknown":
      return FALSE;
    case "string":
    case "json":
      return dialect.isOneOf(column.sql, "text", values.map(String), params);
    case "array":
      return dialect.hasAnyOf(column.sql, values.map(String), params);
    case "numeric": {
      const numbers = values.map((value) => requireNumber(value, path));
      return dialect.isOneOf(column.sql, "number", numbers, params);
    }
    case "boolean":
      return booleanIn(
        column.sql,
        values.map((value) => requireBoolean(value, path)),
        scope,
      );
    case "date":
    case "instant":
      return or(values.map((value) => inInterval(column, requireDate(value, path, scope), scope)));
    case "id": {
      // Values that are not ids match nothing. They are dropped, because an engine may refuse to compare them.
      const ids = values.filter(isId);
      return ids.length === 0 ? FALSE : dialect.isOneOf(column.sql, "id", ids, params);
    }
    case "dynamic":
      // Event properties have no declared type, so a value is compared as every type that it can be read as.
      return dialect.dynamicEquals(
        column.sql,
        {
          texts: values.map(String),
          numbers: values.map(numberFrom).filter((value) => value !== undefined),
          booleans: values.map(booleanFrom).filter((value) => value !== undefined),
        },
        params,
      );
    case "memberships":
      return memberOf(column.sql, values, scope);
  }
}

/** In any segment at all when no values are given. */
export function memberOf(keySql: string, values: readonly Scalar[] | undefined, scope: Scope): string {
  const segmentIds = values?.filter(isId);
  if (segmentIds?.length === 0) return FALSE;
  return `${keySql} in (${scope.dialect.memberKeys(segmentIds, scope.among, scope.params)})`;
}

function booleanIn(sql: string, values: readonly boolean[], scope: Scope): string {
  return or([...new Set(values)].map((value) => `${sql} = ${scope.params.add("boolean", value)}`));
}
