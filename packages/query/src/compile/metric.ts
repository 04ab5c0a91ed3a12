import type { MetricAggregation, MetricName } from "../aggregation.js";
import { QueryError } from "../query-error.js";
import type { Column } from "./column.js";
import type { Dialect } from "./dialect.js";
import type { Joins } from "./joins.js";
import { bit } from "./logic.js";

/** A value of each row, and the computation over the values of all rows. */
export interface CompiledMetric {
  /** Selected from each row under this name. */
  readonly value: string;
  readonly name: string;
  /** Columns of the answer. */
  readonly results: readonly { readonly name: string; readonly sql: string }[];
  readonly read: (row: Readonly<Record<string, unknown>>) => Record<string, unknown>;
}

interface MetricValue {
  readonly sql: string;
  readonly isArray: boolean;
  readonly isDate: boolean;
}

const FUNCTIONS: Readonly<Record<Exclude<MetricName, "stats" | "cardinality">, string>> = {
  sum: "sum",
  avg: "avg",
  min: "min",
  max: "max",
};

export function compileMetric(
  aggregation: MetricAggregation,
  joins: Joins,
  dialect: Dialect,
  index: number,
): CompiledMetric {
  const { metric } = aggregation;
  const name = `v${index}`;
  const value = joins.value(aggregation.field, (column) =>
    metric === "cardinality" ? distinctValue(column, dialect) : numericValue(column, aggregation, dialect),
  );
  if (metric === "stats") return statistics(value, name);
  const sql = metric === "cardinality" ? countDistinct(name, value.isArray, dialect) : `${FUNCTIONS[metric]}(${name})`;
  const result = `m${index}`;
  const isDate = value.isDate && (metric === "min" || metric === "max" || metric === "avg");
  return {
    value: value.sql,
    name,
    results: [{ name: result, sql }],
    read: (row) => {
      const number = numberOrNull(row[result]);
      const shown = metric === "sum" || metric === "cardinality" ? (number ?? 0) : number;
      return isDate && shown !== null
        ? { value: shown, value_as_string: new Date(shown).toISOString() }
        : { value: shown };
    },
  };
}

function countDistinct(name: string, isArray: boolean, dialect: Dialect): string {
  return isArray ? dialect.countElements(name) : `count(distinct ${name})`;
}

function statistics(value: MetricValue, name: string): CompiledMetric {
  const parts = ["count", "min", "max", "avg", "sum"];
  return {
    value: value.sql,
    name,
    results: parts.map((part) => ({ name: `${name}_${part}`, sql: `${part}(${name})` })),
    read: (row) => {
      const numbers = parts.map((part) => [part, numberOrNull(row[`${name}_${part}`])] as const);
      return Object.fromEntries(
        numbers.map(([part, number]) => [part, part === "count" || part === "sum" ? (number ?? 0) : number]),
      );
    },
  };
}

function numericValue(column: Column, aggregation: MetricAggregation, dialect: Dialect): MetricValue {
  const { sql } = column;
  switch (column.type) {
    case "numeric":
      return { sql, isArray: false, isDate: false };
    case "date":
      return { sql, isArray: false, isDate: true };
    case "instant":
      return { sql: dialect.milliseconds(sql), isArray: false, isDate: true };
    case "boolean":
      return { sql: bit(sql), isArray: false, isDate: false };
    case "dynamic":
      return { sql: dialect.dynamic(sql).number, isArray: false, isDate: false };
    case "unknown":
      return { sql: dialect.nullOf("number"), isArray: false, isDate: false };
    default:
      throw new QueryError(
        aggregation.path,
        `${aggregation.metric} needs a number or a date; "${aggregation.field.key}" is neither`,
      );
  }
}

function distinctValue(column: Column, dialect: Dialect): MetricValue {
  const { sql } = column;
  switch (column.type) {
    case "array":
      return { sql, isArray: true, isDate: false };
    case "dynamic":
      return { sql: dialect.dynamicTexts(sql), isArray: true, isDate: false };
    case "unknown":
      return { sql: dialect.nullOf("text"), isArray: false, isDate: false };
    default:
      return { sql, isArray: false, isDate: false };
  }
}

function numberOrNull(value: unknown): number | null {
  return value === null || value === undefined ? null : Number(value);
}
