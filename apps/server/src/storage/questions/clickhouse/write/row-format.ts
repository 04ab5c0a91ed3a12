import { EARLIEST_STORED_MS, isObject, LATEST_STORED_MS } from "@muster/protocol";
import { type FieldType, storedBoolean, storedElements, storedNumber, storedText, storedTime } from "@muster/query";
import { pathName } from "../schema/json-path.js";

// Serialises values in the form that `tables.ts` describes. All rows are written with these functions.

/** The two stored forms of a report: `attrs` for queries, `doc` for answers. */
export interface SerialisedReport {
  attrs: string;
  doc: string;
}

interface SerialisedField {
  docName: string;
  /** Its path in `attrs`; undefined when the field cannot be queried. */
  path: string | undefined;
  type: FieldType | undefined;
}

/**
 * Serialises both forms of the reports of users or accounts. In `attrs`, fields have their declared type.
 * Fields without one are left out, because they cannot be queried.
 */
export function reportSerialiser(
  typeOf: (key: string) => FieldType | undefined,
): (fields: Readonly<Record<string, unknown>>) => SerialisedReport {
  const known = new Map<string, SerialisedField>();
  const fieldOf = (key: string): SerialisedField => {
    let field = known.get(key);
    if (!field) {
      const path = key === "" ? undefined : `${formatText(pathName(key))}:`;
      field = { docName: `${JSON.stringify(key)}:`, path, type: typeOf(key) };
      known.set(key, field);
    }
    return field;
  };
  return (fields) => {
    let attrs = "";
    let doc = "";
    for (const key in fields) {
      const value = fields[key];
      const json = JSON.stringify(value) as string | undefined;
      if (json === undefined) continue;
      const { docName, path, type } = fieldOf(key);
      doc += doc === "" ? docName + json : `,${docName}${json}`;
      if (value === null || path === undefined || type === undefined) continue;
      const isPlain = type === "string" && typeof value === "string" && value.isWellFormed();
      const text = isPlain ? json : formatTyped(value, type);
      if (text !== undefined) attrs += attrs === "" ? path + text : `,${path}${text}`;
    }
    return { attrs: `{${attrs}}`, doc: `{${doc}}` };
  };
}

/**
 * Serialises the `properties` or `context` of an event. Nested objects become one level of dotted names, so that
 * `{a: {b: 1}}` and `{"a.b": 1}` are the same property. If both occur, the first is kept.
 */
export function formatProperties(properties: Readonly<Record<string, unknown>>): string {
  const paths = new Map<string, string>();
  collectProperties(properties, "", paths);
  return formatObject(paths);
}

function collectProperties(object: object, prefix: string, paths: Map<string, string>): void {
  for (const [key, value] of Object.entries(object)) {
    const name = prefix + key;
    if (isObject(value)) {
      collectProperties(value, `${name}.`, paths);
      continue;
    }
    const formatted = formatUntyped(value);
    const path = pathName(name);
    if (formatted !== undefined && path !== "" && !paths.has(path)) paths.set(path, formatted);
  }
}

function formatTyped(value: unknown, type: FieldType): string | undefined {
  if (value === null || value === undefined) return undefined;
  switch (type) {
    case "string":
      return formatText(value);
    case "json":
      return formatText(JSON.stringify(value));
    case "numeric":
      return formatNumber(storedNumber(value));
    case "boolean":
      return String(storedBoolean(value));
    case "date":
      return formatNumber(storedTime(value));
    case "array":
      return formatList(value);
  }
}

function formatUntyped(value: unknown): string | undefined {
  if (typeof value === "number") return formatNumber(storedNumber(value));
  if (typeof value === "boolean") return String(value);
  if (typeof value === "string") return formatText(value);
  return Array.isArray(value) ? formatList(value) : undefined;
}

/** Always with an exponent. Otherwise `1` and `1.5` would be stored with two different types. */
function formatNumber(value: number | undefined): string | undefined {
  return value?.toExponential();
}

/** Serialises elements as text. Empty lists are left out. */
function formatList(value: unknown): string | undefined {
  const elements = storedElements(value);
  return elements.length === 0 ? undefined : JSON.stringify(elements);
}

function formatText(value: unknown): string {
  return JSON.stringify(storedText(value));
}

function formatObject(paths: ReadonlyMap<string, string>): string {
  return `{${Array.from(paths, ([path, value]) => `${formatText(path)}:${value}`).join(",")}}`;
}

/** Times outside the limits of DateTime64 become its first or last time. */
export function formatInstant(instant: Date): string {
  const ms = Math.min(Math.max(instant.getTime(), EARLIEST_STORED_MS), LATEST_STORED_MS);
  return new Date(ms).toISOString().slice(0, -1).replace("T", " ");
}

/** A text as a cell of the TabSeparated format. */
export function formatCell(text: string): string {
  return NEEDS_ESCAPE.test(text) ? text.replace(TO_ESCAPE, escapeCharacter) : text;
}

/** A JSON text as a cell of the TabSeparated format. JSON contains only one character that must be escaped: the backslash. */
export function formatJsonCell(json: string): string {
  return json.includes("\\") ? json.replaceAll("\\", "\\\\") : json;
}

const NEEDS_ESCAPE = /[\\\t\n\r\0]/;
const TO_ESCAPE = /[\\\t\n\r\0]/g;
const ESCAPES: Readonly<Record<string, string>> = { "\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r", "\0": "\\0" };

function escapeCharacter(character: string): string {
  return ESCAPES[character] ?? character;
}
