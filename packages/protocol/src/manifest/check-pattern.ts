import { isObject } from "../is-object.js";
import type { DeclaredSetting } from "./read-manifest.js";
import type { SettingProblem } from "./setting-problem.js";

export interface PatternCheck {
  /** The mapping that is stored. */
  stored: unknown;
  /** Whether each text matches a regular expression; undefined for a text when that takes too long. */
  matches(pattern: string, texts: readonly string[]): readonly (boolean | undefined)[];
}

const MAPPING_FORMATS: readonly unknown[] = ["traitMapping", "accountTraitMapping"];

/**
 * The new fields of a mapping that do not match its `pattern`. An incoming mapping makes new attributes, any other makes
 * new fields in the service. Fields that are stored or that the manifest gives as defaults are not new.
 */
export function checkPattern(
  { name, format, options = {}, default: defaults }: DeclaredSetting,
  value: unknown,
  { stored, matches }: PatternCheck,
): SettingProblem[] {
  const { pattern, direction } = options;
  if (pattern === undefined || !MAPPING_FORMATS.includes(format)) return [];
  const side = direction === "incoming" ? "attribute" : "service";
  const key = side === "attribute" ? "hull" : "service";
  const known = new Set([...fieldsOf(stored, key), ...fieldsOf(defaults, key)]);
  const added = fieldsOf(value, key).flatMap((field, index) =>
    typeof field !== "string" || field === "" || known.has(field) ? [] : [{ field, index }],
  );
  if (added.length === 0) return [];
  const results = matches(
    pattern,
    added.map(({ field }) => field),
  );
  return added.flatMap(({ field, index }, position) => {
    const isMatch = results[position];
    if (isMatch) return [];
    const message =
      isMatch === undefined
        ? `cannot be checked: the pattern ${pattern} takes too long`
        : `must match the pattern ${pattern}`;
    return [{ path: `${name}.${index}.${key}`, message, newField: { name: field, setting: name, side } }];
  });
}

/** One side of every row. */
function fieldsOf(rows: unknown, key: "hull" | "service"): unknown[] {
  return Array.isArray(rows) ? rows.map((row: unknown) => (isObject(row) ? row[key] : undefined)) : [];
}
