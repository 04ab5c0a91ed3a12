import type { FieldType } from "../target.js";

/**
 * The SQL of a field's value, and how the value is stored:
 * - `string`, `numeric`, `date` (milliseconds), `boolean`, `array` (of text), `json` (its text): an expression, null when unset;
 * - `id`: an id of 24 hex digits; `instant`: a moment as the engine keeps it; both are columns that are never unset;
 * - `dynamic`: an event property, whose values may differ in type from row to row; only the dialect can read it;
 * - `memberships`: the segments of the row with this key, which are in a separate table;
 * - `unknown`: there is no such field, so no row has a value.
 */
export interface Column {
  readonly type: FieldType | "id" | "instant" | "dynamic" | "memberships" | "unknown";
  readonly sql: string;
}
