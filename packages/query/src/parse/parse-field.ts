import { LIMITS } from "../limits.js";
import type { Field } from "../query.js";
import { QueryError } from "../query-error.js";
import { STANDARD_FIELDS, type Target } from "../target.js";

/** A name with one of these endings means the exact value. */
export const EXACT_SUFFIXES = ["raw", "exact", "keyword"] as const;
const EXACT_SUFFIX = new RegExp(`\\.(?:${EXACT_SUFFIXES.join("|")})$`);

/** Other names that real queries use for the same field. */
export const FIELD_ALIASES: Readonly<Record<Target, Readonly<Record<string, string>>>> = {
  user: { _id: "id" },
  account: { _id: "id" },
  event: {
    _id: "id",
    _parent: "user_id",
    event_source: "source",
    event_type: "type",
    name: "event",
  },
};

/** Reads a field name in a query about `target`. Compiling finds out whether the field exists. */
export function parseField(name: unknown, path: string, target: Target): Field {
  if (typeof name !== "string" || name === "") throw new QueryError(path, "expected the name of a field");
  if (name.length > LIMITS.fieldNameLength)
    throw new QueryError(path, `expected at most ${LIMITS.fieldNameLength} characters`);
  const exact = EXACT_SUFFIX.test(name);
  const bare = exact ? name.replace(EXACT_SUFFIX, "") : name;
  const owner = ownerOf(bare, target);
  return { target: owner.target, key: canonicalKey(owner.key, owner.target), exact };
}

/** How the field is written in a query about `target`. */
export function fieldName(field: Field, target: Target): string {
  return field.target === target ? field.key : `${field.target}.${field.key}`;
}

function ownerOf(name: string, target: Target): { target: Target; key: string } {
  if (target === "account") return { target, key: name };
  if (name === "account_segment_ids") return { target: "account", key: "segment_ids" };
  return name.startsWith("account.")
    ? { target: "account", key: name.slice("account.".length) }
    : { target, key: name };
}

function canonicalKey(key: string, target: Target): string {
  if (Object.hasOwn(STANDARD_FIELDS[target], key)) return key;
  const aliases = FIELD_ALIASES[target];
  if (Object.hasOwn(aliases, key)) return aliases[key] ?? key;
  return target === "event" && key.startsWith("props.") ? `properties.${key.slice("props.".length)}` : key;
}
