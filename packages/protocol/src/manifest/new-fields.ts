import { isObject } from "../helpers/is-object.js";
import type { DeclaredSetting } from "./read-manifest.js";

/** A field of a mapping that is neither stored nor a default, in a mapping with a pattern for new fields. */
export interface NewField {
  /** Its place: `mapping.2.service`. */
  path: string;
  name: string;
  /** The regular expression that it must match, unless the field exists. Matching may never end, so test it with a time limit. */
  pattern: string;
  /** The name of the setting that holds the mapping. */
  setting: string;
  side: "attribute" | "service";
}

const MAPPING_FORMATS: readonly unknown[] = ["traitMapping", "accountTraitMapping"];

/** The new fields of mappings. An incoming mapping makes new attributes, any other makes new fields in the service. */
export function newFields(
  declared: readonly DeclaredSetting[],
  values: Readonly<Record<string, unknown>>,
  stored: Readonly<Record<string, unknown>>,
): NewField[] {
  return declared.flatMap(({ name: setting, format, options = {}, default: defaults }) => {
    const { pattern, direction } = options;
    if (pattern === undefined || !MAPPING_FORMATS.includes(format)) return [];
    const side = direction === "incoming" ? "attribute" : "service";
    const key = side === "attribute" ? "hull" : "service";
    const known = new Set([...fieldsOf(stored[setting], key), ...fieldsOf(defaults, key)]);
    return fieldsOf(values[setting], key).flatMap((name, index) =>
      typeof name !== "string" || name === "" || known.has(name)
        ? []
        : [{ path: `${setting}.${index}.${key}`, name, pattern, setting, side }],
    );
  });
}

/** One side of every row. */
function fieldsOf(rows: unknown, key: "hull" | "service"): unknown[] {
  return Array.isArray(rows) ? rows.map((row: unknown) => (isObject(row) ? row[key] : undefined)) : [];
}
