import { type Entity, STANDARD_FIELDS } from "../entity.js";
import type { Field } from "../query.js";
import { QueryError } from "../query-error.js";

const EXACT_SUFFIX = /\.(?:raw|exact|keyword)$/;
const MAX_NAME_LENGTH = 512;

/** Other names real queries use for the same field. */
const ALIASES: Readonly<Record<Entity, Readonly<Record<string, string>>>> = {
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

/** Reads a field name as a query about `entity` means it. Whether the field exists is found out when it is compiled. */
export function parseField(name: unknown, path: string, entity: Entity): Field {
  if (typeof name !== "string" || name === "") throw new QueryError(path, "expected the name of a field");
  if (name.length > MAX_NAME_LENGTH) throw new QueryError(path, `expected at most ${MAX_NAME_LENGTH} characters`);
  const exact = EXACT_SUFFIX.test(name);
  const bare = exact ? name.replace(EXACT_SUFFIX, "") : name;
  const owner = ownerOf(bare, entity);
  return { entity: owner.entity, key: canonicalKey(owner.key, owner.entity), exact };
}

/** How the field is written in a query about `entity`. */
export function fieldName(field: Field, entity: Entity): string {
  return field.entity === entity ? field.key : `${field.entity}.${field.key}`;
}

function ownerOf(name: string, entity: Entity): { entity: Entity; key: string } {
  if (entity === "account") return { entity, key: name };
  if (name === "account_segment_ids") return { entity: "account", key: "segment_ids" };
  return name.startsWith("account.")
    ? { entity: "account", key: name.slice("account.".length) }
    : { entity, key: name };
}

function canonicalKey(key: string, entity: Entity): string {
  if (Object.hasOwn(STANDARD_FIELDS[entity], key)) return key;
  const aliases = ALIASES[entity];
  if (Object.hasOwn(aliases, key)) return aliases[key] ?? key;
  return entity === "event" && key.startsWith("props.") ? `properties.${key.slice("props.".length)}` : key;
}
