import { withoutUserAttributePrefix, withUserAttributePrefix } from "@muster/protocol";
import type { AttributeType } from "@muster/protocol/api/choices";
import { STANDARD_FIELDS } from "@muster/protocol/api/standard-fields";

/** What a query can be about; each has its own table. */
export type Target = "user" | "account" | "event";

export type FieldType = AttributeType;

/** The custom attributes that the organization has so far. Standard fields are built in and not part of it. */
export interface AttributeTypes {
  /** Type of a custom attribute by its report key (`traits_plan` of a user, `plan` of an account); undefined when there is no such attribute. */
  typeOf(target: "user" | "account", key: string): FieldType | undefined;
}

export { STANDARD_FIELDS };

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
