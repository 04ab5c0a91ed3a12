import type { WrittenDate } from "../dates/date-format.js";
import { type DateOptions, readDateMath } from "../dates/date-math.js";
import type { Scalar } from "../query.js";
import { QueryError } from "../query-error.js";

/** Readers of a query's values, by the type of the field that they are compared with. */

/** The number of a number or of a text that holds only a number. */
export function numberFrom(value: Scalar): number | undefined {
  if (typeof value === "number") return value;
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : Number.NaN;
  return Number.isFinite(number) ? number : undefined;
}

export function booleanFrom(value: Scalar): boolean | undefined {
  if (typeof value === "boolean") return value;
  return value === "true" ? true : value === "false" ? false : undefined;
}

/** A number is milliseconds, or seconds when the format is `epoch_second`. */
export function dateFrom(value: Scalar, options: DateOptions): WrittenDate | undefined {
  return typeof value === "boolean" ? undefined : readDateMath(String(value), withEpoch(value, options));
}

export function requireNumber(value: Scalar, path: string): number {
  const number = numberFrom(value);
  if (number === undefined) throw new QueryError(path, `expected a number for a numeric field, got ${quoted(value)}`);
  return number;
}

export function requireBoolean(value: Scalar, path: string): boolean {
  const boolean = booleanFrom(value);
  if (boolean === undefined)
    throw new QueryError(path, `expected true or false for a boolean field, got ${quoted(value)}`);
  return boolean;
}

export function requireDate(value: Scalar, path: string, options: DateOptions): WrittenDate {
  const date = dateFrom(value, options);
  if (date === undefined) throw new QueryError(path, `expected a date for a date field, got ${quoted(value)}`);
  return date;
}

function withEpoch(value: Scalar, options: DateOptions): DateOptions {
  if (typeof value !== "number") return options;
  return { ...options, format: options.format?.split("||").includes("epoch_second") ? "epoch_second" : "epoch_millis" };
}

function quoted(value: Scalar): string {
  return JSON.stringify(typeof value === "string" ? value.slice(0, 100) : value);
}
