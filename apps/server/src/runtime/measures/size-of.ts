const TEXT_BYTES = 24;
const OBJECT_BYTES = 48;
const FIELD_BYTES = 16;

/**
 * About how many bytes of memory a value takes that came from JSON, also one with maps in it. Names of fields are not
 * counted, because objects of one shape share them. Texts count two bytes for each character, as many as they can take.
 */
export function sizeOf(value: unknown): number {
  if (typeof value === "string") return TEXT_BYTES + 2 * value.length;
  if (typeof value !== "object" || value === null) return FIELD_BYTES;
  let size = OBJECT_BYTES;
  const items = Array.isArray(value) || value instanceof Map ? value.values() : Object.values(value);
  for (const item of items) size += FIELD_BYTES + sizeOf(item);
  return size;
}
