import { isObject } from "@muster/protocol";
import { LIMITS } from "../limits.js";
import type { Scalar } from "../query.js";
import { QueryError } from "../query-error.js";
import { IGNORED_EVERYWHERE, type KnownOptions } from "./clause-options.js";

/** Readers of untrusted JSON. Each returns the value with its type, or throws an error with the path and what was expected. */

export type JsonObject = Readonly<Record<string, unknown>>;

export function objectAt(value: unknown, path: string): JsonObject {
  if (!isObject(value)) throw new QueryError(path, "expected an object");
  return value;
}

export function listAt(value: unknown, path: string): readonly unknown[] {
  if (!Array.isArray(value)) throw new QueryError(path, "expected a list");
  if (value.length > LIMITS.listLength) throw new QueryError(path, `expected at most ${LIMITS.listLength} values`);
  return value;
}

export function stringAt(value: unknown, path: string): string {
  if (typeof value !== "string") throw new QueryError(path, "expected a string");
  if (value.length > LIMITS.valueLength)
    throw new QueryError(path, `expected at most ${LIMITS.valueLength} characters`);
  return value;
}

export function scalarAt(value: unknown, path: string): Scalar {
  if (typeof value === "boolean" || (typeof value === "number" && Number.isFinite(value))) return value;
  if (typeof value !== "string") throw new QueryError(path, "expected a string, a number or a boolean");
  return stringAt(value, path);
}

/** A string, number or boolean as text, short enough to be a pattern. */
export function patternAt(value: unknown, path: string): string {
  const text = String(scalarAt(value, path));
  if (text.length > LIMITS.patternLength)
    throw new QueryError(path, `expected at most ${LIMITS.patternLength} characters`);
  return text;
}

export function countAt(value: unknown, path: string): number {
  const count = typeof value === "string" && /^\d{1,9}$/.test(value) ? Number(value) : value;
  if (typeof count !== "number" || !Number.isSafeInteger(count) || count < 0) {
    throw new QueryError(path, "expected a whole number, 0 or more");
  }
  return count;
}

export function numberAt(value: unknown, path: string): number {
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  if (typeof number !== "number" || !Number.isFinite(number)) throw new QueryError(path, "expected a number");
  return number;
}

export function oneOf<Value extends string>(value: unknown, path: string, allowed: readonly Value[]): Value {
  const found = allowed.find((candidate) => candidate === value);
  if (found === undefined) throw new QueryError(path, `expected one of ${allowed.join(", ")}`);
  return found;
}

/** Refuses options that are not known, so that none is ignored silently. */
export function refuseUnknown(object: JsonObject, path: string, known: readonly string[]): void {
  for (const key of Object.keys(object)) {
    if (!known.includes(key) && !isIgnoredEverywhere(key)) {
      throw new QueryError(`${path}.${key}`, `unknown option; expected ${known.join(", ")}`);
    }
  }
}

/** Refuses options that a clause or an aggregation does not have. */
export function refuseOthers(object: JsonObject, path: string, { options, ignored }: KnownOptions): void {
  refuseUnknown(object, path, [...options, ...ignored]);
}

function isIgnoredEverywhere(key: string): boolean {
  return IGNORED_EVERYWHERE.some((ignored) => ignored === key);
}

/** The name and the value of the one field in `{field: …}`. */
export function singleField(input: unknown, path: string): { name: string; value: unknown; path: string } {
  const entries = Object.entries(objectAt(input, path));
  const named = entries.length === 1 ? entries : entries.filter(([key]) => !isIgnoredEverywhere(key));
  const [entry] = named;
  if (entry === undefined || named.length > 1) throw new QueryError(path, "expected exactly one field");
  return { name: entry[0], value: entry[1], path: `${path}.${entry[0]}` };
}
