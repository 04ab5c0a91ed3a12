import { formatNumber } from "./format.js";

/** A value in a few words. Texts are shown as they are. */
export function showValue(value: unknown): string {
  if (value === null || value === undefined) return "no value";
  if (typeof value === "string") return value === "" ? "empty text" : value;
  if (typeof value === "number") return formatNumber(value);
  if (typeof value === "boolean") return value ? "true" : "false";
  if (Array.isArray(value)) return value.length === 0 ? "empty list" : value.map(showValue).join(", ");
  return JSON.stringify(value);
}

/** Values in the order of their names, for a short line of details. */
export function showProperties(properties: Record<string, unknown>, most = 4): string {
  const entries = Object.entries(properties);
  const shown = entries.slice(0, most).map(([name, value]) => `${name}: ${showValue(value)}`);
  const rest = entries.length - shown.length;
  return [...shown, ...(rest > 0 ? [`${rest} more`] : [])].join(" · ");
}
