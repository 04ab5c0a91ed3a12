import { isObject, MAX_DATE_MS, type SubjectType } from "@muster/protocol";
import { FIELD_OF_TRAIT } from "./call-mapping.js";

/** Smaller numbers are seconds: as milliseconds they would be in the first months of 1970. */
const FIRST_MS = 100_000_000_000;

/** The attributes that the traits of a call set. The id of the subject is no attribute. */
export function readTraits(
  subjectType: SubjectType,
  { id: _id, ...traits }: Record<string, unknown>,
): Record<string, unknown> {
  const fields = FIELD_OF_TRAIT[subjectType];
  const attributes: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(traits)) {
    const field = Object.hasOwn(fields, name) ? fields[name]! : name;
    // A client that sends both spellings means the one that is ours.
    if (field !== name && Object.hasOwn(traits, field)) continue;
    attributes[field] = field === "created_at" ? readCreatedAt(value) : asValue(value);
  }
  return attributes;
}

/** Numbers are seconds or milliseconds. The attribute itself takes dates only as text. */
function readCreatedAt(value: unknown): unknown {
  if (typeof value !== "number") return value;
  const ms = value < FIRST_MS ? value * 1_000 : value;
  return Math.abs(ms) <= MAX_DATE_MS ? new Date(ms).toISOString() : value;
}

/** In this dialect every object is a value. `{value, operation}` would be an operation otherwise. */
function asValue(value: unknown): unknown {
  return isObject(value) && ("value" in value || "operation" in value) ? { operation: "set", value } : value;
}
