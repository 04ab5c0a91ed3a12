import { type Catalog, type Entity, resolveField, STANDARD_FIELDS } from "@muster/query";

/** Where a column of an extract is read: a document, a part of it, or the memberships; `nowhere` stays empty. */
export type ColumnSource = "own" | "account" | "properties" | "context" | "segments" | "nowhere";

export interface ExtractColumn {
  /** As it was asked for. */
  header: string;
  source: ColumnSource;
  /** The name in that source. */
  key: string;
}

export interface ColumnCatalog extends Catalog {
  /** Custom attributes by report key, those that are hidden left out. */
  visibleKeys(entity: "user" | "account"): readonly string[];
  /** Attributes that must not be shown. */
  isHidden(entity: "user" | "account", key: string): boolean;
}

const EVENT_FIELDS = [
  "id",
  "event",
  "event_id",
  "event_source",
  "event_type",
  "created_at",
  "user_id",
  "account_id",
  "anonymous_id",
  "session_id",
  "properties",
  "context",
];

const EVENT_SYNONYMS: Record<string, string> = { source: "event_source", type: "event_type", _id: "id" };

/** The columns of a CSV extract: those asked for, in that order, or every field there is. */
export function extractColumns(
  entity: Entity,
  fields: readonly string[] | undefined,
  catalog: ColumnCatalog,
): ExtractColumn[] {
  const wanted = fields && fields.length > 0 ? fields : everyField(entity, catalog);
  return wanted.map((field) => ({ header: field, ...locate(entity, field, catalog) }));
}

function everyField(entity: Entity, catalog: ColumnCatalog): string[] {
  if (entity === "event") return EVENT_FIELDS;
  return [...Object.keys(STANDARD_FIELDS[entity]), ...catalog.visibleKeys(entity)];
}

function locate(entity: Entity, field: string, catalog: ColumnCatalog): Omit<ExtractColumn, "header"> {
  if (entity === "event") return locateInEvent(field);
  if (entity === "user" && field.startsWith("account.")) {
    return attribute("account", field.slice("account.".length), "account", catalog);
  }
  if (field === "segment_ids") return { source: "segments", key: field };
  return attribute(entity, field, "own", catalog);
}

function attribute(entity: "user" | "account", field: string, source: ColumnSource, catalog: ColumnCatalog) {
  const { key } = resolveField(catalog, entity, field) ?? { key: field };
  return { source: catalog.isHidden(entity, key) ? ("nowhere" as const) : source, key };
}

function locateInEvent(field: string): Omit<ExtractColumn, "header"> {
  const [, group, key] = /^(properties|props|context)\.(.+)$/.exec(field) ?? [];
  if (group !== undefined && key !== undefined) return { source: group === "context" ? "context" : "properties", key };
  return { source: "own", key: EVENT_SYNONYMS[field] ?? field };
}
