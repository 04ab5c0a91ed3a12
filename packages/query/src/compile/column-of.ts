import type { Field } from "../query.js";
import { resolveField } from "../target.js";
import type { Column } from "./column.js";
import type { Scope } from "./scope.js";

const UNKNOWN: Column = { type: "unknown", sql: "null" };

/** The column of a field of the rows in scope. */
export function columnOf(field: Field, { dialect, attributeTypes }: Scope): Column {
  if (field.target === "event") return dialect.eventColumn(field.key) ?? UNKNOWN;
  const definition = resolveField(attributeTypes, field.target, field.key);
  if (definition === undefined) return UNKNOWN;
  if (definition.key === "segment_ids") return { type: "memberships", sql: dialect.key };
  return dialect.attribute(field.target, definition);
}
