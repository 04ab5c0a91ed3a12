/**
 * Serialises a value as JSON. `JSON.stringify` would call a `toJSON` that a script of the page has put on the prototype of
 * objects or arrays, as some old libraries do. Values that JSON does not have are left out, and dates are ISO texts.
 */
export function serialiseJson(value: unknown): string {
  return print(value, []) ?? "null";
}

/** How long a text is when it is sent. */
export function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}

function print(value: unknown, parents: readonly object[]): string | undefined {
  switch (typeof value) {
    case "string":
      return JSON.stringify(value);
    case "number":
      return Number.isFinite(value) ? String(value) : "null";
    case "boolean":
      return String(value);
    case "object":
      return value === null ? "null" : printObject(value, parents);
    default:
      return undefined;
  }
}

function printObject(value: object, parents: readonly object[]): string | undefined {
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? "null" : JSON.stringify(value.toISOString());
  // A cyclic object, such as an element of the page, would never end.
  if (parents.includes(value) || parents.length > 20) return undefined;
  const inside = [...parents, value];
  if (Array.isArray(value)) return `[${value.map((item) => print(item, inside) ?? "null").join(",")}]`;
  const parts: string[] = [];
  for (const name of Object.keys(value)) {
    const text = print((value as Record<string, unknown>)[name], inside);
    if (text !== undefined) parts.push(`${JSON.stringify(name)}:${text}`);
  }
  return `{${parts.join(",")}}`;
}
