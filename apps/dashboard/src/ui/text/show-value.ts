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

/** What a change was about. @example showChange("free", "pro") // "free → pro" */
export function showChange(from: unknown, to: unknown): string {
  return `${showValue(from)} → ${showValue(to)}`;
}

/** Values in the order of their names, for a short line of details. An id is left out when its name is there too. */
export function showProperties(properties: Record<string, unknown>, most = 4): string {
  const entries = Object.entries(properties).filter(
    ([name]) => !(name.endsWith("_id") && properties[name.replace(/_id$/, "_name")]),
  );
  const shown = entries.slice(0, most).map(([name, value]) => `${name}: ${showValue(value)}`);
  const rest = entries.length - shown.length;
  return [...shown, ...(rest > 0 ? [`${rest} more`] : [])].join(" · ");
}
