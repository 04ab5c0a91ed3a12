/** Reads parts of JSON that somebody else wrote. */

export function asObject(value: unknown): Record<string, unknown> | undefined {
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  return isObject ? (value as Record<string, unknown>) : undefined;
}

/** A text that is not empty. */
export function asText(value: unknown): string | undefined {
  return typeof value === "string" && value.trim() !== "" ? value : undefined;
}

/** The objects in a list; none when it is no list. */
export function objectsIn(given: unknown): Record<string, unknown>[] {
  return Array.isArray(given) ? given.map(asObject).filter((entry) => entry !== undefined) : [];
}
