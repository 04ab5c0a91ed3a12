import { isObject, MAX_DATE_MS, type SubjectType } from "@muster/protocol";
import { FIELD_OF_TRAIT } from "./call-mapping.js";
import { unixSeconds } from "./unix-seconds.js";

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
  if (typeof value !== "number") return asValue(value);
  const ms = unixSeconds(value) * 1_000;
  return Math.abs(ms) <= MAX_DATE_MS ? new Date(ms).toISOString() : value;
}

/** In this dialect every object is a value. `{value, operation}` would be an operation otherwise. */
function asValue(value: unknown): unknown {
  return isObject(value) && ("value" in value || "operation" in value) ? { operation: "set", value } : value;
}
