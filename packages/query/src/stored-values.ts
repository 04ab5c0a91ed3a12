import { parseIsoTime } from "./parse-iso-time.js";

/** How a value of a report is stored, by its declared type. Both engines store it so, and `reportTest` compares it so. */

export function isSet(value: unknown): boolean {
  return value !== null && value !== undefined;
}

/** Replaces halves of surrogate pairs, because an engine would refuse the whole row. */
export function storedText(value: unknown): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.isWellFormed() ? text : text.toWellFormed();
}

export function storedNumber(value: unknown): number | undefined {
  const number = isSet(value) ? Number(value) : Number.NaN;
  return Number.isFinite(number) ? number : undefined;
}

export function storedBoolean(value: unknown): boolean {
  return value === true || value === "true";
}

/** Milliseconds since 1970. */
export function storedTime(value: unknown): number | undefined {
  if (!isSet(value)) return undefined;
  const time = value instanceof Date || typeof value === "number" ? Number(value) : timeOfText(String(value));
  return Number.isFinite(time) ? time : undefined;
}

function timeOfText(text: string): number {
  return parseIsoTime(text) ?? Date.parse(text);
}

/** The elements as text, without null and undefined. */
export function storedElements(value: unknown): string[] {
  if (!isSet(value)) return [];
  return (Array.isArray(value) ? value : [value]).filter(isSet).map(storedText);
}
