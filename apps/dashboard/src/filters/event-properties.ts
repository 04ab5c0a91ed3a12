import type { FieldType } from "@muster/query";
import type { FilterEvent } from "./filter-schema.js";

/** Types of event properties as the API names them, where they differ. */
const OTHER_NAMES: Readonly<Record<string, FieldType>> = { number: "numeric", object: "json", text: "string" };
const TYPES: readonly FieldType[] = ["string", "numeric", "date", "boolean", "array", "json"];

/** The type of a property that was seen before. */
export function typeOfProperty(properties: FilterEvent["properties"], name: string): FieldType | undefined {
  const given = properties.find((property) => property.name === name)?.type;
  return TYPES.find((type) => type === given) ?? (given === undefined ? undefined : OTHER_NAMES[given]);
}

/** The name of a property without its prefix, as people know it. */
export function propertyName(key: string): string {
  return key.replace(/^(?:properties|props)\./, "");
}
