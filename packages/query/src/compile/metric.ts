import type { Metric, MetricAggregation } from "../aggregation.js";
import { QueryError } from "../query-error.js";
import { type Column, TEXT_ARRAY } from "./column.js";
import type { Joins } from "./joins.js";

/** A value taken from each row and what is computed of them all. */
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

const FUNCTIONS: Readonly<Record<Exclude<Metric, "stats" | "cardinality">, string>> = {
  sum: "sum",
  avg: "avg",
  min: "min",
  max: "max",
};

export function compileMetric(aggregation: MetricAggregation, joins: Joins, index: number): CompiledMetric {
  const { metric } = aggregation;
  const name = `v${index}`;
  const value = joins.value(aggregation.field, (column) =>
    metric === "cardinality" ? distinctValue(column) : numericValue(column, aggregation),
  );
  if (metric === "stats") return statistics(value, name);
  const sql =
    metric === "cardinality" ? `uniqExact${value.isArray ? "Array" : ""}(${name})` : `${FUNCTIONS[metric]}(${name})`;
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

function numericValue(column: Column, aggregation: MetricAggregation): MetricValue {
  const { sql } = column;
  switch (column.type) {
    case "numeric":
      return { sql, isArray: false, isDate: false };
    case "date":
      return { sql, isArray: false, isDate: true };
    case "instant":
      return { sql: `toFloat64(toUnixTimestamp64Milli(${sql}))`, isArray: false, isDate: true };
    case "boolean":
      return { sql: `toFloat64(${sql})`, isArray: false, isDate: false };
    case "dynamic":
      return { sql: `${sql}.:Float64`, isArray: false, isDate: false };
    case "unknown":
      return { sql: "cast(null, 'Nullable(Float64)')", isArray: false, isDate: false };
    default:
      throw new QueryError(
        aggregation.path,
        `${aggregation.metric} needs a number or a date; "${aggregation.field.key}" is none`,
      );
  }
}

function distinctValue(column: Column): MetricValue {
  const { sql } = column;
  switch (column.type) {
    case "array":
      return { sql, isArray: true, isDate: false };
    case "dynamic":
      return { sql: dynamicTexts(sql), isArray: true, isDate: false };
    case "unknown":
      return { sql: "cast(null, 'Nullable(String)')", isArray: false, isDate: false };
    default:
      return { sql, isArray: false, isDate: false };
  }
}

/** A property's values as texts, whatever its type: none, one, or the elements of a list. */
export function dynamicTexts(sql: string): string {
  const scalar = `coalesce(${sql}.:String, toString(${sql}.:Float64), toString(${sql}.:Bool))`;
  return `arrayConcat(${sql}.:${TEXT_ARRAY}, arrayFilter(x -> isNotNull(x), [${scalar}]))`;
}

export function numberOrNull(value: unknown): number | null {
  return value === null || value === undefined ? null : Number(value);
}
