import { isStorableText } from "@muster/protocol";

// Nothing real nests deeper, and recursive code (JSON.stringify, PostgreSQL's jsonb) has a stack that ends.
const MAX_DEPTH = 64;

/** A sentence saying why a JSON value cannot be stored, or undefined when it can. */
export function findUnusable(value: unknown): string | undefined {
  if (isTooDeep(value)) return `The value is nested deeper than ${MAX_DEPTH} levels.`;
  if (holdsUnusableText(value)) {
    return "A text holds a NUL character or half a surrogate pair, which cannot be stored.";
  }
  return undefined;
}

/** Looks no deeper than it has to, so that no value is too deep to ask this about. */
export function isTooDeep(value: unknown, levels = MAX_DEPTH): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((part) => isTooDeep(part, levels - 1));
}

function holdsUnusableText(value: unknown): boolean {
  if (typeof value === "string") return !isStorableText(value);
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(value)) return value.some(holdsUnusableText);
  return Object.entries(value).some(([name, part]) => !isStorableText(name) || holdsUnusableText(part));
}
