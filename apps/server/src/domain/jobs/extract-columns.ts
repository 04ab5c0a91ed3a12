import { EXTRACTED_EVENT_FIELDS } from "@muster/protocol/api/file-fields";
import { type AttributeTypes, type FieldType, resolveField, STANDARD_FIELDS, type Target } from "@muster/query";

/**
 * Where the values of a column come from: the document, a part of it, or the memberships. A column from `nowhere` is
 * empty.
 */
export type ColumnSource = "own" | "account" | "properties" | "context" | "segments" | "nowhere";

export interface ExtractColumn {
  /** The name under which the column was requested. */
  header: string;
  source: ColumnSource;
  /** The name of the field in the source. */
  key: string;
}

/** A column of a format that has types. */
export interface TypedColumn extends ExtractColumn {
  type: FieldType;
}

export interface KnownColumns extends AttributeTypes {
  /** Report keys of the custom attributes that are not hidden. */
  visibleKeys(target: "user" | "account"): readonly string[];
  /** Attributes that must not be shown. */
  isHidden(target: "user" | "account", key: string): boolean;
}

const EVENT_SYNONYMS: Record<string, string> = { source: "event_source", type: "event_type", _id: "id" };

/** The columns of an extract as a table: the requested ones in their order, or all fields. */
export function extractColumns(
  target: Target,
  fields: readonly string[] | undefined,
  attributeTypes: KnownColumns,
): TypedColumn[] {
  const wanted = fields && fields.length > 0 ? fields : everyField(target, attributeTypes);
  return wanted.map((field) => ({ header: field, ...locate(target, field, attributeTypes) }));
}

function everyField(target: Target, attributeTypes: KnownColumns): string[] {
  if (target === "event") return [...EXTRACTED_EVENT_FIELDS];
  return [...Object.keys(STANDARD_FIELDS[target]), ...attributeTypes.visibleKeys(target)];
}

function locate(target: Target, field: string, attributeTypes: KnownColumns): Omit<TypedColumn, "header"> {
  if (target === "event") return locateInEvent(field);
  if (target === "user" && field.startsWith("account.")) {
    return attribute("account", field.slice("account.".length), "account", attributeTypes);
  }
  if (field === "segment_ids") return { source: "segments", key: field, type: "array" };
  return attribute(target, field, "own", attributeTypes);
}

function attribute(target: "user" | "account", field: string, source: ColumnSource, attributeTypes: KnownColumns) {
  const { key, type } = resolveField(attributeTypes, target, field) ?? { key: field, type: "string" as const };
  return { source: attributeTypes.isHidden(target, key) ? ("nowhere" as const) : source, key, type };
}

function locateInEvent(field: string): Omit<TypedColumn, "header"> {
  const [, group, key] = /^(properties|props|context)\.(.+)$/.exec(field) ?? [];
  // Properties have no type of their own: one event may have a number where another one has a text.
  if (group !== undefined && key !== undefined) {
    return { source: group === "context" ? "context" : "properties", key, type: "string" };
  }
  const own = EVENT_SYNONYMS[field] ?? field;
  return { source: "own", key: own, type: own === "created_at" ? "date" : "string" };
}
