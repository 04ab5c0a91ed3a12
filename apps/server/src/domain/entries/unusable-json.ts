import { isStorableText } from "@muster/protocol";

// Real values are not nested deeper. Recursive code (JSON.stringify, PostgreSQL's jsonb) overflows its stack at some
// depth.
export const MAX_DEPTH = 64;

/** A sentence saying why a JSON value cannot be stored, or undefined when it can. */
export function findUnusable(value: unknown): string | undefined {
  if (isTooDeep(value)) return `The value is nested deeper than ${MAX_DEPTH} levels.`;
  if (holdsUnusableText(value)) {
    return "A text holds a NUL character or half a surrogate pair, which cannot be stored.";
  }
  return undefined;
}

/** Whether a value is nested deeper than `levels`. It looks no deeper itself, so it works for every value. */
export function isTooDeep(value: unknown, levels = MAX_DEPTH): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((part) => isTooDeep(part, levels - 1));
}

/** Whether a value holds more than `max` values, at any depth. The value must not be nested too deep. */
export function holdsMoreThan(value: unknown, max: number): boolean {
  let left = max;
  const count = (part: unknown): boolean => {
    left -= 1;
    if (left < 0) return true;
    if (typeof part !== "object" || part === null) return false;
    return Object.values(part).some(count);
  };
  return count(value);
}

function holdsUnusableText(value: unknown): boolean {
  if (typeof value === "string") return !isStorableText(value);
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(value)) return value.some(holdsUnusableText);
  return Object.entries(value).some(([name, part]) => !isStorableText(name) || holdsUnusableText(part));
}
