import type { Field } from "../query.js";
import { type FieldType, resolveField } from "../target.js";
import type { Scope } from "./scope.js";

/**
 * Where a field's value is and how it is stored:
 * - `string`, `numeric`, `date` (milliseconds), `boolean`, `array` (of text), `json` (its text): an expression, null when unset;
 * - `id`: an id of 24 hex digits; `instant`: a moment as the engine keeps it; both are columns that are never unset;
 * - `dynamic`: an event property, whose values may differ in type from row to row; only the dialect can read it;
 * - `memberships`: the segments of the row with this key, in a table of their own;
 * - `unknown`: nobody has a value.
 */
export interface Column {
  readonly type: FieldType | "id" | "instant" | "dynamic" | "memberships" | "unknown";
  readonly sql: string;
}

const UNKNOWN: Column = { type: "unknown", sql: "null" };

/** The column of a field of the rows in scope. */
export function columnOf(field: Field, { dialect, attributeTypes }: Scope): Column {
  if (field.target === "event") return dialect.eventColumn(field.key) ?? UNKNOWN;
  const definition = resolveField(attributeTypes, field.target, field.key);
  if (definition === undefined) return UNKNOWN;
  if (definition.key === "segment_ids") return { type: "memberships", sql: dialect.key };
  return dialect.attribute(field.target, definition);
}
