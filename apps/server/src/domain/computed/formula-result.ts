import type { AttributeValue } from "../attributes/attribute-values.js";
import { isoText } from "../attributes/iso-text.js";

export interface FormulaResult {
  readonly value: AttributeValue;
  readonly problem?: FormulaProblem;
}

/**
 * Why there is no value. `unset_input`: an attribute that it needs is not set. `too_large`: the values that it reads or makes
 * are too large. `no_value`: it cannot be computed with these values.
 */
export interface FormulaProblem {
  readonly reason: "unset_input" | "too_large" | "no_value";
  readonly sentence: string;
}

/** More than the largest attribute value that a server accepts by default. */
const MAX_TEXT = 65_536;

/** What a formula has given, as the value of an attribute. */
export function readResult(given: unknown): FormulaResult {
  const value = attributeValue(given);
  if (value === undefined) {
    return { value: null, problem: { reason: "no_value", sentence: "The result is no value of an attribute." } };
  }
  if (isTooLarge(value)) {
    return { value: null, problem: { reason: "too_large", sentence: "The result is too large." } };
  }
  return { value };
}

/** Undefined for what no attribute can have: a number that is not finite, a time span. */
function attributeValue(given: unknown): AttributeValue | undefined {
  switch (typeof given) {
    case "string":
    case "boolean":
      return given;
    case "bigint":
      return Number(given);
    case "number":
      // Adding zero makes 0 of -0, which JSON cannot say.
      return Number.isFinite(given) ? given + 0 : undefined;
    case "object":
      return ofObject(given);
    default:
      return undefined;
  }
}

function ofObject(given: object | null): AttributeValue | undefined {
  if (given === null) return null;
  if (given instanceof Date) return Number.isNaN(given.getTime()) ? undefined : isoText(given.getTime());
  if (Array.isArray(given)) {
    const elements = given.map(attributeValue);
    return elements.includes(undefined) ? undefined : (elements as AttributeValue[]);
  }
  if (Object.getPrototypeOf(given) !== Object.prototype && Object.getPrototypeOf(given) !== null) return undefined;
  const entries = Object.entries(given).map(([key, value]) => [key, attributeValue(value)] as const);
  if (entries.some(([key, value]) => value === undefined || key === "__proto__")) return undefined;
  return Object.fromEntries(entries);
}

function isTooLarge(value: AttributeValue): boolean {
  if (typeof value === "string") return value.length > MAX_TEXT;
  return typeof value === "object" && value !== null && JSON.stringify(value).length > MAX_TEXT;
}
