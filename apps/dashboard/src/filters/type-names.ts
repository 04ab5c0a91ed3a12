import type { AttributeType } from "@muster/protocol/api/choices";

/** The types of attributes as people read them. */
export const TYPE_NAMES: Record<AttributeType, string> = {
  string: "Text",
  numeric: "Number",
  date: "Date",
  boolean: "Yes or no",
  array: "List",
  json: "JSON",
};

/** The type of an attribute or of a property of an event. @example typeWords("numeric") // "Number" */
export function typeWords(type: string): string {
  const names: Readonly<Record<string, string>> = { ...TYPE_NAMES, number: TYPE_NAMES.numeric };
  return names[type] ?? type;
}
