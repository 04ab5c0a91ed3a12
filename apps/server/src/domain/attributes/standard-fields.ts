import type { SubjectType } from "@muster/protocol";
import { attributeName, isStandardField, STANDARD_FIELDS } from "@muster/query";
import type { AttributeDefinitions, AttributeType } from "./attribute-definitions.js";

/** Standard fields that a traits call may set. Only Muster sets the others. */
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

/** The type of a standard field that a traits call may set; undefined for every other name. */
export function settableFieldType(subjectType: SubjectType, name: string): AttributeType | undefined {
  return SETTABLE[subjectType].has(name) ? STANDARD_FIELDS[subjectType][name] : undefined;
}

/** Whether a name is a standard field that only Muster sets. */
export function isKeptByMuster(subjectType: SubjectType, name: string): boolean {
  return isStandardField(subjectType, name) && !SETTABLE[subjectType].has(name);
}

/** The type of a field of a report, by its key there; undefined when no such attribute is defined. */
export function attributeType(
  subjectType: SubjectType,
  key: string,
  definitions: AttributeDefinitions,
): AttributeType | undefined {
  return isStandardField(subjectType, key)
    ? STANDARD_FIELDS[subjectType][key]
    : definitions.get(attributeName(subjectType, key))?.type;
}
