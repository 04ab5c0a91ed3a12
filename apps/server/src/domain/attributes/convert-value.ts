import type { AttributeType } from "./attribute-definitions.js";
import { type AttributeValue, type Reading, readValue } from "./attribute-values.js";
import { isoText } from "./iso-text.js";

// Unix seconds of the years 1973 to 2286, and the same in milliseconds. Other numbers are hardly times.
const SECONDS = { from: 1e8, to: 1e10 };
const MILLISECONDS = { from: 1e11, to: 1e13 };

/**
 * A stored value as a value of another type. Only values whose meaning is certain are converted. A value that fits already
 * stays as it is, so converting twice changes nothing more.
 */
export function convertValue(type: AttributeType, value: NonNullable<AttributeValue>): Reading {
  const fitting = readValue(type, value);
  if (fitting.ok) return fitting;
  const candidate = candidateOf(type, value);
  return candidate === undefined ? fitting : readValue(type, candidate);
}

function candidateOf(type: AttributeType, value: NonNullable<AttributeValue>): NonNullable<AttributeValue> | undefined {
  switch (type) {
    case "string":
      return typeof value === "object" ? JSON.stringify(value) : String(value);
    case "numeric":
      return typeof value === "string" ? numberOf(value) : undefined;
    case "boolean":
      return booleanOf(value);
    case "date":
      return typeof value === "number" ? timeOf(value) : undefined;
    case "array":
      return typeof value === "object" ? undefined : [value];
    case "json":
      return undefined;
  }
}

function numberOf(text: string): number | undefined {
  const trimmed = text.trim();
  return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(trimmed) ? Number(trimmed) : undefined;
}

function booleanOf(value: NonNullable<AttributeValue>): boolean | undefined {
  const text = typeof value === "string" ? value.trim().toLowerCase() : value;
  if (text === "true" || text === 1) return true;
  return text === "false" || text === 0 ? false : undefined;
}

function timeOf(value: number): string | undefined {
  const lies = ({ from, to }: { from: number; to: number }) => value >= from && value < to;
  if (lies(SECONDS)) return isoText(Math.round(value * 1_000));
  return lies(MILLISECONDS) ? isoText(Math.round(value)) : undefined;
}
