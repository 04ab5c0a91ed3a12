// Nothing real nests deeper, and recursive code (JSON.stringify, PostgreSQL's jsonb) has a stack that ends.
const MAX_DEPTH = 64;

/** Characters that PostgreSQL cannot keep: NUL, and halves of a surrogate pair. */
const UNUSABLE_TEXT = /[\0\p{Surrogate}]/u;

/** A sentence saying why a JSON value cannot be stored, or undefined when it can. Walks without recursion. */
export function findUnusable(value: unknown): string | undefined {
  const open: { value: unknown; depth: number }[] = [{ value, depth: 0 }];
  for (let next = open.pop(); next; next = open.pop()) {
    const { value: current, depth } = next;
    if (typeof current === "string" && UNUSABLE_TEXT.test(current)) {
      return "A text holds a NUL character or half a surrogate pair, which cannot be stored.";
    }
    if (typeof current !== "object" || current === null) continue;
    if (depth === MAX_DEPTH) return `The value is nested deeper than ${MAX_DEPTH} levels.`;
    const parts = Array.isArray(current) ? current : [...Object.keys(current), ...Object.values(current)];
    for (const part of parts) open.push({ value: part, depth: depth + 1 });
  }
  return undefined;
}
