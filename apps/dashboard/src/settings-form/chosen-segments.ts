import type { ChoiceValue } from "./read-setting.js";

/** The standard choice of manifests that stands for everybody. */
const EVERYBODY = "ALL";

/**
 * The segments of a setting after a choice. Everybody and a segment exclude each other, so the newer choice stays:
 * together they would mean everybody, and the segment would change nothing.
 */
export function chosenSegments(before: readonly unknown[], after: readonly ChoiceValue[]): readonly ChoiceValue[] {
  if (!after.includes(EVERYBODY) || after.length === 1) return after;
  return before.includes(EVERYBODY) ? after.filter((value) => value !== EVERYBODY) : [EVERYBODY];
}

/** The query of those who are in the chosen segments; undefined when nothing is chosen. */
export function queryOfSegments(value: unknown): Record<string, unknown> | undefined {
  const chosen = (Array.isArray(value) ? value : [value]).filter((one) => typeof one === "string" && one !== "");
  if (chosen.length === 0) return undefined;
  return chosen.includes(EVERYBODY) ? {} : { terms: { segment_ids: chosen } };
}
