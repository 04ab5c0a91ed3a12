import { type SubjectType, withoutUserAttributePrefix, withUserAttributePrefix } from "@muster/protocol";
import { STANDARD_FIELDS } from "./target.js";

/** Whether every report of the type has this field. Everything else in a report is a custom attribute. */
export function isStandardField(subjectType: SubjectType, name: string): boolean {
  return Object.hasOwn(STANDARD_FIELDS[subjectType], name);
}

/** The key that an attribute has in reports: custom attributes of users have a prefix, nothing else has one. */
export function reportKey(subjectType: SubjectType, name: string): string {
  return subjectType === "user" && !isStandardField("user", name) ? withUserAttributePrefix(name) : name;
}

/** The name of the attribute that is meant by a key, which may have the prefix of reports or not. */
export function attributeName(subjectType: SubjectType, key: string): string {
  return subjectType === "user" ? withoutUserAttributePrefix(key) : key;
}
