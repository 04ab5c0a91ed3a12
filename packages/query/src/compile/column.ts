import { type FieldDefinition, type FieldType, resolveField } from "../entity.js";
import type { Field } from "../query.js";
import { jsonPath } from "./identifier.js";
import type { Scope } from "./scope.js";

/**
 * Where a field's value is and how it is stored:
 * - `string`, `numeric`, `date` (milliseconds), `boolean`, `array` (of text), `json` (its text): an expression, null when unset;
 * - `id`: a fixed string of 24 hex digits; `instant`: a DateTime64; both are columns that are never unset;
 * - `dynamic`: an event property, whose values may differ in type from row to row; `sql` is the untyped path;
 * - `memberships`: the segments of the row with this id, in a table of their own;
 * - `unknown`: nobody has a value.
 */
export interface Column {
  readonly type: FieldType | "id" | "instant" | "dynamic" | "memberships" | "unknown";
  readonly sql: string;
}

const UNKNOWN: Column = { type: "unknown", sql: "null" };

/** Event columns that are text; an empty one stands for no value. `event` is never empty and stays bare for the primary key. */
const EVENT_TEXT = ["event_id", "account_id", "source", "type", "session_id", "anonymous_id", "entity_id"];

/** Fields that have a column or a table of their own beside `attrs`. */
const SHARED_COLUMNS: readonly (readonly [string, Column])[] = [
  ["id", { type: "id", sql: "id" }],
  ["created_at", { type: "instant", sql: "created_at" }],
  ["segment_ids", { type: "memberships", sql: "id" }],
];

const OWN_COLUMNS: Readonly<Record<"user" | "account", ReadonlyMap<string, Column>>> = {
  user: new Map([...SHARED_COLUMNS, ["account_id", { type: "string", sql: "nullIf(account_id, '')" }]]),
  account: new Map(SHARED_COLUMNS),
};

export const TEXT_ARRAY = "`Array(Nullable(String))`";

const STORED_AS: Readonly<Record<FieldType, string>> = {
  string: "String",
  numeric: "Float64",
  date: "Float64",
  boolean: "Bool",
  array: TEXT_ARRAY,
  json: "String",
};

/** The column of a field of the rows in scope. */
export function columnOf(field: Field, scope: Scope): Column {
  return field.entity === "event" ? eventColumn(field.key) : attributeColumn(field.entity, field.key, scope);
}

function attributeColumn(entity: "user" | "account", key: string, scope: Scope): Column {
  const definition = resolveField(scope.catalog, entity, key);
  if (definition === undefined) return UNKNOWN;
  return OWN_COLUMNS[entity].get(definition.key) ?? attribute(definition);
}

function attribute({ key, type }: FieldDefinition): Column {
  return { type, sql: `${jsonPath("attrs", key)}.:${STORED_AS[type]}` };
}

function eventColumn(key: string): Column {
  if (key === "id" || key === "user_id") return { type: "id", sql: key };
  if (key === "created_at") return { type: "instant", sql: key };
  if (key === "event") return { type: "string", sql: key };
  if (EVENT_TEXT.includes(key)) return { type: "string", sql: `nullIf(${key}, '')` };
  for (const column of ["properties", "context"] as const) {
    const path = key.slice(column.length + 1);
    if (key.startsWith(`${column}.`) && path !== "") return { type: "dynamic", sql: jsonPath(column, path) };
  }
  return UNKNOWN;
}
