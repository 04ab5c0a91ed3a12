import { objectsIn } from "../ui/code/json-parts.js";
import type { Setting } from "./read-setting.js";

/** The list with one entry replaced. */
export function replaceRow(rows: readonly unknown[], index: number, row: unknown): unknown[] {
  return rows.map((one, at) => (at === index ? row : one));
}

export function removeRow(rows: readonly unknown[], index: number): unknown[] {
  return rows.filter((_row, at) => at !== index);
}

export function moveRow(rows: readonly unknown[], from: number, to: number): unknown[] {
  const others = removeRow(rows, from);
  return [...others.slice(0, to), rows[from], ...others.slice(to)];
}

/** An empty entry of a list, with the defaults of its columns. */
export function newRow(items: Setting): unknown {
  if (items.default !== undefined) return items.default;
  if (items.type === "object") {
    const set = items.parts.filter((part) => part.default !== undefined);
    return Object.fromEntries(set.map((part) => [part.name, part.default]));
  }
  if (items.type === "boolean") return false;
  return items.type === "number" || items.type === "integer" ? null : "";
}

/** A row of a mapping between attributes and fields of a service. It may hold other keys, which stay. */
export type MappingRow = Record<string, unknown> & { hull?: unknown; service?: unknown; overwrite?: unknown };

export function mappingRows(value: unknown): MappingRow[] {
  return objectsIn(value);
}

export function newMappingRow(): MappingRow {
  return { hull: null, service: null, overwrite: true };
}
