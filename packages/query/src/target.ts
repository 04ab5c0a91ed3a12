import { withoutUserAttributePrefix, withUserAttributePrefix } from "@muster/protocol";
import type { AttributeType } from "@muster/protocol/api/values";

/** What a query can be about; each has its own table. */
export type Target = "user" | "account" | "event";

export type FieldType = AttributeType;

/** The custom attributes that the organization has so far. Standard fields are built in and not part of it. */
export interface AttributeTypes {
  /** Type of a custom attribute by its report key (`traits_plan` of a user, `plan` of an account); undefined when there is no such attribute. */
  typeOf(target: "user" | "account", key: string): FieldType | undefined;
}

/** Fields every report has, by target. Everything else in a user or account report is a custom attribute. */
export const STANDARD_FIELDS: Readonly<Record<Target, Readonly<Record<string, FieldType>>>> = {
  user: {
    id: "string",
    email: "string",
    contact_email: "string",
    external_id: "string",
    anonymous_ids: "array",
    name: "string",
    first_name: "string",
    last_name: "string",
    username: "string",
    description: "string",
    phone: "string",
    picture: "string",
    tags: "array",
    domain: "string",
    address: "json",
    created_at: "date",
    updated_at: "date",
    indexed_at: "date",
    first_seen_at: "date",
    last_seen_at: "date",
    last_known_ip: "string",
    segment_ids: "array",
    account_id: "string",
    first_session_id: "string",
    latest_session_id: "string",
    signup_session_id: "string",
  },
  account: {
    id: "string",
    external_id: "string",
    domain: "string",
    name: "string",
    description: "string",
    picture: "string",
    anonymous_ids: "array",
    created_at: "date",
    updated_at: "date",
    indexed_at: "date",
    segment_ids: "array",
  },
  event: {
    id: "string",
    event: "string",
    event_id: "string",
    source: "string",
    type: "string",
    created_at: "date",
    user_id: "string",
    account_id: "string",
    session_id: "string",
    anonymous_id: "string",
    entity_id: "string",
  },
};

/** The fields that a query searches when it names none. */
export const DEFAULT_TEXT_FIELDS: Readonly<Record<Target, readonly string[]>> = {
  user: ["name", "first_name", "last_name", "email", "contact_email", "external_id", "username", "phone", "domain"],
  account: ["name", "domain", "external_id", "description"],
  event: ["event", "source", "type"],
};

export interface FieldDefinition {
  /** The report key, which is also the name of the path in `attrs`. */
  readonly key: string;
  readonly type: FieldType;
}

/** The field that a query means by a key. The key of a user attribute may have the prefix `traits_` or not. */
export function resolveField(
  attributeTypes: AttributeTypes,
  target: "user" | "account",
  key: string,
): FieldDefinition | undefined {
  const standard = standardField(target, key);
  if (standard !== undefined) return standard;
  if (target === "account") return declaredField(attributeTypes, target, key);
  const name = withoutUserAttributePrefix(key);
  return declaredField(attributeTypes, target, withUserAttributePrefix(name)) ?? standardField(target, name);
}

function standardField(target: Target, key: string): FieldDefinition | undefined {
  const fields = STANDARD_FIELDS[target];
  const type = Object.hasOwn(fields, key) ? fields[key] : undefined;
  return type === undefined ? undefined : { key, type };
}

function declaredField(
  attributeTypes: AttributeTypes,
  target: "user" | "account",
  key: string,
): FieldDefinition | undefined {
  const type = attributeTypes.typeOf(target, key);
  return type === undefined ? undefined : { key, type };
}
