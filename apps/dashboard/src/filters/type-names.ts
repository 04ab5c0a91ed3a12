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
