import { Value } from "typebox/value";
import { isObject } from "../helpers/is-object.js";
import type { ManifestProblem } from "./manifest-problem.js";
import { schemaProblems } from "./schema-problems.js";
import { KnownOptions, SETTING_OPTIONS, SettingOptions } from "./setting-entry.js";

/** The longest pattern that is used. */
export const MAX_PATTERN_LENGTH = 500;

// A form nests settings once or twice.
const MAX_DEPTH = 10;

/** What is wrong with the options of a setting, of its columns and of its parts. `path` is that of the setting. */
export function checkSettingOptions(
  setting: Readonly<Record<string, unknown>>,
  path: string,
  depth = 0,
): ManifestProblem[] {
  const { options, items, properties } = setting;
  const inside: [string, unknown][] = [
    [`${path}.items`, items],
    ...Object.entries(isObject(properties) ? properties : {}).map(([name, part]): [string, unknown] => [
      `${path}.properties.${name}`,
      part,
    ]),
  ];
  return [
    ...(isObject(options) ? checkOptions(options, `${path}.options`) : []),
    ...inside.flatMap(([at, part]) =>
      isObject(part) && depth < MAX_DEPTH ? checkSettingOptions(part, at, depth + 1) : [],
    ),
  ];
}

/** The options that can be used: without those that have problems. Texts that say true or false become booleans. */
export function readOptions(given: Readonly<Record<string, unknown>>): SettingOptions {
  const options = withFlags(given);
  const wrong = SETTING_OPTIONS.filter((name) => options[name] !== undefined && !isUsable(name, options[name]));
  for (const name of wrong) delete options[name];
  // Each option that is left follows the schema.
  return options as SettingOptions;
}

// Called often, so it only says whether the given options are usable and does not describe what is wrong.
function isUsable(name: (typeof SETTING_OPTIONS)[number], value: unknown): boolean {
  if (!Value.Check(KnownOptions.properties[name], value)) return false;
  if (name === "pattern") return patternProblems(value, name).length === 0;
  if (name === "standard") return standardProblems(value, name).length === 0;
  return name !== "strategy" || scopeProblems(value, name).length === 0;
}

/** The boolean that a text says, or the value as it is. */
export function readFlag(value: unknown): unknown {
  if (value === "true") return true;
  return value === "false" ? false : value;
}

/** Warns of a boolean that is written as text. */
export function warnOfFlag(value: unknown, path: string): ManifestProblem[] {
  if (value !== "true" && value !== "false") return [];
  return [{ path, message: `is a text and is read as ${value}`, severity: "warning" }];
}

const FLAGS = ["allowCreate", "showOverwriteToggle"] as const satisfies readonly (typeof SETTING_OPTIONS)[number][];

function withFlags(given: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const read = FLAGS.filter((name) => Object.hasOwn(given, name)).map((name) => [name, readFlag(given[name])]);
  return { ...given, ...Object.fromEntries(read) };
}

function checkOptions(given: Readonly<Record<string, unknown>>, path: string): ManifestProblem[] {
  return [
    ...FLAGS.flatMap((name) => warnOfFlag(given[name], `${path}.${name}`)),
    ...schemaProblems(SettingOptions, withFlags(given), path),
    ...scopeProblems(given.strategy, `${path}.strategy.scope`),
    ...patternProblems(given.pattern, `${path}.pattern`),
    ...standardProblems(given.standard, `${path}.standard`),
  ];
}

function standardProblems(standard: unknown, path: string): ManifestProblem[] {
  if (standard === undefined) return [];
  if (isObject(standard)) {
    return Object.entries(standard)
      .filter(([, label]) => typeof label !== "string")
      .map(([value]) => ({ path: `${path}.${value}`, message: "must be a text: the label", severity: "error" }));
  }
  if (!Array.isArray(standard)) {
    return [{ path, message: "must be an object of values and labels", severity: "error" }];
  }
  return standard.flatMap((entry: unknown, index): ManifestProblem[] =>
    isObject(entry) && typeof entry.value === "string" && typeof entry.label === "string"
      ? []
      : [{ path: `${path}.${index}`, message: "must have a `value` and a `label`", severity: "error" }],
  );
}

function scopeProblems(strategy: unknown, path: string): ManifestProblem[] {
  const scope = isObject(strategy) ? strategy.scope : undefined;
  const isTexts = Array.isArray(scope) && scope.every((entry) => typeof entry === "string");
  if (scope === undefined || typeof scope === "string" || isTexts) return [];
  return [{ path, message: "must be a text or a list of texts", severity: "error" }];
}

function patternProblems(pattern: unknown, path: string): ManifestProblem[] {
  if (typeof pattern !== "string") return [];
  if (pattern.length > MAX_PATTERN_LENGTH) {
    const message = `must be a regular expression of at most ${MAX_PATTERN_LENGTH} characters`;
    return [{ path, message, severity: "error" }];
  }
  try {
    new RegExp(pattern);
    return [];
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return [{ path, message: `must be a regular expression: ${reason}`, severity: "error" }];
  }
}
