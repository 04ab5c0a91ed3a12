import { parseJson } from "@muster/protocol";
import type { AttributeType } from "../attributes/attribute-definitions.js";
import { readDate } from "../attributes/read-date.js";

/** A value that was read; undefined when it is not of the type. */
export type Converted = { value: unknown } | undefined;

export const TYPE_WORDS: Record<AttributeType, string> = {
  string: "a text",
  numeric: "a number",
  date: "a date",
  boolean: "yes or no",
  array: "a list",
  json: "a JSON object",
};

const NUMBER = /^[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?$/;
const YES = new Set(["true", "yes", "y", "t", "1"]);
const NO = new Set(["false", "no", "n", "f", "0"]);
const SLASHED_DATE = /^(\d{4})\/(\d{2})\/(\d{2})/;

/** Reads the value of a column as a type. Cells of CSV files are texts; values of JSON files may have their type. */
export function convertCell(value: unknown, type: AttributeType): Converted {
  switch (type) {
    case "string":
      if (typeof value === "string") return { value };
      return typeof value === "number" || typeof value === "boolean" ? { value: String(value) } : undefined;
    case "numeric":
      return asNumber(value);
    case "boolean":
      return asBoolean(value);
    case "date":
      return asDate(value);
    case "array":
      if (Array.isArray(value)) return { value };
      return typeof value === "string" ? asList(value) : undefined;
    case "json": {
      const read = typeof value === "string" ? parseJson(value) : value;
      return typeof read === "object" && read !== null ? { value: read } : undefined;
    }
  }
}

function asNumber(value: unknown): Converted {
  if (typeof value === "number") return { value };
  if (typeof value !== "string" || !NUMBER.test(value.trim())) return undefined;
  const number = Number(value);
  return Number.isFinite(number) ? { value: number } : undefined;
}

function asBoolean(value: unknown): Converted {
  if (typeof value === "boolean") return { value };
  const word = String(value).trim().toLowerCase();
  if (YES.has(word)) return { value: true };
  return NO.has(word) ? { value: false } : undefined;
}

function asDate(value: unknown): Converted {
  if (typeof value !== "string") return undefined;
  const time = readDate(value.trim().replace(SLASHED_DATE, "$1-$2-$3"));
  return time === undefined ? undefined : { value: new Date(time).toISOString() };
}

/** A JSON list, or parts between semicolons, bars or commas. */
function asList(text: string): Converted {
  if (text.trim().startsWith("[")) {
    const read = parseJson(text);
    return Array.isArray(read) ? { value: read } : undefined;
  }
  const separator = [";", "|", ","].find((character) => text.includes(character));
  const parts = separator === undefined ? [text] : text.split(separator);
  return { value: parts.map((part) => part.trim()).filter((part) => part !== "") };
}
