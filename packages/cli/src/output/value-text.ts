import { printableJson } from "./printable.js";

/** A value as people read it: texts as they are, nothing for null, JSON for everything else. */
export function valueText(value: unknown): string {
  if (value === null || value === undefined) return "";
  return typeof value === "string" ? value : printableJson(value);
}
