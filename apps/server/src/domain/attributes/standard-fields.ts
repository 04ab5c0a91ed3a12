import type { SubjectType } from "@muster/protocol";
import { attributeName, isStandardField, STANDARD_FIELDS } from "@muster/query";
import type { AttributeDefinitions, AttributeType } from "./attribute-definitions.js";

/** Standard fields that a traits call may set; the platform keeps the others itself. */
const SETTABLE: Record<SubjectType, ReadonlySet<string>> = {
  user: new Set([
    "email",
    "contact_email",
    "external_id",
    "domain",
    "name",
    "first_name",
    "last_name",
    "username",
    "description",
    "phone",
    "picture",
    "tags",
    "address",
    "created_at",
  ]),
  account: new Set(["external_id", "domain", "name", "description", "picture", "created_at"]),
};

/** The type of a standard field that a traits call may set, else undefined. */
export function settableField(subject: SubjectType, name: string): AttributeType | undefined {
  return SETTABLE[subject].has(name) ? STANDARD_FIELDS[subject][name] : undefined;
}

export function isKeptField(subject: SubjectType, name: string): boolean {
  return isStandardField(subject, name) && !SETTABLE[subject].has(name);
}

/** The type of a report's field, by its key there; undefined when nobody has seen it. */
export function attributeType(
  subject: SubjectType,
  key: string,
  definitions: AttributeDefinitions,
): AttributeType | undefined {
  return isStandardField(subject, key)
    ? STANDARD_FIELDS[subject][key]
    : definitions.get(attributeName(subject, key))?.type;
}
