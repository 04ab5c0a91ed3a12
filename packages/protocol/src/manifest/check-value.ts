import { Errors } from "typebox/schema";
import { isObject } from "../helpers/is-object.js";
import { readOptions } from "./check-options.js";
import { FORMAT_CHECKS } from "./format-checks.js";
import { SETTING_TYPES } from "./setting-entry.js";
import { isUnset, type SettingProblem } from "./setting-problem.js";

type Schema = Readonly<Record<string, unknown>>;

const TYPES: readonly unknown[] = SETTING_TYPES;
const BOUNDS = ["minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems"] as const;

// Some authors store an object where a text is declared (the answer of an OAuth service), so these are not checked.
const UNCHECKED_FORMATS: readonly unknown[] = ["oauth", "button"];

/** What is wrong with the value of a setting, of a column or of a part. `path` is that of the value. */
export function checkValue(setting: Schema, value: unknown, path: string): SettingProblem[] {
  // People fill in a table cell by cell, so a cell may be empty.
  if (isUnset(value) || UNCHECKED_FORMATS.includes(setting.format)) return [];
  const given = readText(setting, value);
  const own = ruleProblems(setting, given, path);
  if (own.length > 0) return own;
  const options = isObject(setting.options) ? readOptions(setting.options) : {};
  const wrong = FORMAT_CHECKS[formatOf(setting)]?.(given, path, options) ?? [];
  if (wrong.length > 0) return wrong;
  const choices = options.allowCreate === true ? [] : choiceProblems(setting, given, path);
  return [...choices, ...insideProblems(setting, given, path)];
}

/** The type and the bounds. Rules that are not valid JSON schema are left out. */
function ruleProblems(setting: Schema, value: unknown, path: string): SettingProblem[] {
  const { type } = setting;
  const bounds = BOUNDS.filter((rule) => typeof setting[rule] === "number").map((rule) => [rule, setting[rule]]);
  const schema = { ...(TYPES.includes(type) ? { type } : {}), ...Object.fromEntries(bounds) };
  const [isValid, errors] = Errors(schema, value);
  return isValid ? [] : errors.map(({ message }) => ({ path, message }));
}

/** Each entry of a list must be one of the choices. Numbers and texts are compared as texts, because authors mix them. */
function choiceProblems({ enum: choices }: Schema, value: unknown, path: string): SettingProblem[] {
  if (!Array.isArray(choices) || choices.length === 0) return [];
  const known = new Set(choices.map(textOf));
  const entries = Array.isArray(value) ? value.map((entry, index) => [`${path}.${index}`, entry]) : [[path, value]];
  return entries
    .filter(([, entry]) => !isUnset(entry) && !known.has(textOf(entry)))
    .map(([at]) => ({ path: String(at), message: `must be one of ${choices.map(textOf).join(", ").slice(0, 500)}` }));
}

function insideProblems({ items, properties }: Schema, value: unknown, path: string): SettingProblem[] {
  if (Array.isArray(value)) {
    if (!isObject(items)) return [];
    return value.flatMap((entry, index) => checkValue(items, entry, `${path}.${index}`));
  }
  if (!isObject(value) || !isObject(properties)) return [];
  return Object.entries(properties).flatMap(([name, part]) =>
    isObject(part) && Object.hasOwn(value, name) ? checkValue(part, value[name], `${path}.${name}`) : [],
  );
}

/** Forms, manifests and connectors give numbers and booleans as text. */
function readText({ type }: Schema, value: unknown): unknown {
  if (typeof value !== "string" || value.trim() === "") return value;
  if (type === "number" || type === "integer") return Number.isNaN(Number(value)) ? value : Number(value);
  if (type === "boolean" && (value === "true" || value === "false")) return value === "true";
  return value;
}

function formatOf({ format }: Schema): string {
  return typeof format === "string" && Object.hasOwn(FORMAT_CHECKS, format) ? format : "";
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
