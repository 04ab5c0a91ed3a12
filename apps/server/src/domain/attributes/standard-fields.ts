import type { SubjectType } from "@muster/protocol";
import { STANDARD_FIELDS } from "@muster/query";
import type { AttributeDefinitions, AttributeType } from "./attribute-definitions.js";

/** Standard fields that a traits call may set. Only the platform sets the others. */
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

/** Whether a name is a standard field that only the platform sets. */
export function isPlatformField(subjectType: SubjectType, name: string): boolean {
  return isStandardField(subjectType, name) && !SETTABLE[subjectType].has(name);
}

export function isStandardField(subjectType: SubjectType, name: string): boolean {
  return Object.hasOwn(STANDARD_FIELDS[subjectType], name);
}

const CUSTOM_PREFIX = "traits_";

/** The key of an attribute in reports: custom attributes of users have a prefix, all others are plain names. */
export function reportKey(subjectType: SubjectType, name: string): string {
  return subjectType === "user" && !isStandardField("user", name) ? CUSTOM_PREFIX + name : name;
}

/** The name of an attribute, given with or without the prefix that it has in reports. */
export function bareName(subjectType: SubjectType, key: string): string {
  return subjectType === "user" && key.startsWith(CUSTOM_PREFIX) ? key.slice(CUSTOM_PREFIX.length) : key;
}

/** The type of a field of a report, by its key there; undefined when no such attribute is defined. */
export function attributeType(
  subjectType: SubjectType,
  key: string,
  definitions: AttributeDefinitions,
): AttributeType | undefined {
  return isStandardField(subjectType, key)
    ? STANDARD_FIELDS[subjectType][key]
    : definitions.get(bareName(subjectType, key))?.type;
}
