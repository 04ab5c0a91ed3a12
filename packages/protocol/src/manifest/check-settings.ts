import { Errors, type XSchema } from "typebox/schema";
import { isObject } from "../is-object.js";
import type { DeclaredSetting } from "./read-manifest.js";

export interface SettingProblem {
  /** The name of the setting and the place in its value: `mapping` or `mapping.2.service`. */
  path: string;
  message: string;
}

const TYPES = new Set(["string", "boolean", "number", "integer", "array", "object"]);
const SIMPLE_RULES = ["enum", "minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems"] as const;

/**
 * What is wrong with the values of declared settings. Values of undeclared settings are not checked. A value that is not
 * set is never wrong, also when the setting is `required`: `missingSettings` lists those.
 */
export function checkSettings(
  declared: readonly DeclaredSetting[],
  values: Readonly<Record<string, unknown>>,
): SettingProblem[] {
  return declared.flatMap((setting) => {
    const value = values[setting.name];
    if (isUnset(value)) return [];
    const [valid, errors] = Errors(settingSchema(setting), readText(setting, value));
    if (valid) return [];
    return errors.map(({ instancePath, message }) => ({
      path: `${setting.name}${instancePath.replaceAll("/", ".")}`,
      message,
    }));
  });
}

/** Formats of settings that the connector writes itself: nobody fills them in. */
const OWN_FORMATS: readonly unknown[] = ["hidden", "oauth", "button"];

/** The required settings that have no value yet. Those that only the connector writes are not listed. */
export function missingSettings(
  declared: readonly DeclaredSetting[],
  values: Readonly<Record<string, unknown>>,
): string[] {
  return declared
    .filter(({ name, required, format }) => required === true && !OWN_FORMATS.includes(format) && isUnset(values[name]))
    .map(({ name }) => name);
}

/** The defaults that settings declare. */
export function defaultSettings(declared: readonly DeclaredSetting[]): Record<string, unknown> {
  return Object.fromEntries(
    declared.filter((setting) => setting.default !== undefined).map((setting) => [setting.name, setting.default]),
  );
}

/** A setting with one of these values counts as not set: people and connectors clear settings with them. */
export function isUnset(value: unknown): boolean {
  return value === undefined || value === null || value === "";
}

/** The JSON schema of a setting, made of its valid parts. The format is ignored: only the settings form uses it. */
export function settingSchema(setting: Readonly<Record<string, unknown>>): XSchema {
  const { type, properties, items, format } = setting;
  // A mapping, a table or a list of segments is declared as array, one segment or event as string. Some authors store
  // an object where a string is declared (the answer of an OAuth service), so these formats are not checked.
  if (format === "oauth" || format === "button") return {};
  const rules = Object.fromEntries(
    SIMPLE_RULES.flatMap((rule) => (isRule(rule, setting[rule]) ? [[rule, setting[rule]]] : [])),
  );
  return {
    ...(typeof type === "string" && TYPES.has(type) ? { type } : {}),
    ...rules,
    ...(isObject(items) ? { items: settingSchema(items) } : {}),
    ...(isObject(properties)
      ? {
          properties: Object.fromEntries(
            Object.entries(properties).map(([name, part]) => [
              name,
              isObject(part) ? optional(settingSchema(part)) : {},
            ]),
          ),
        }
      : {}),
  };
}

/** Somebody fills in a table cell by cell, so a cell may be empty. */
function optional(schema: XSchema): XSchema {
  return { anyOf: [schema, { enum: [null, ""] }] };
}

/** Forms, manifests and connectors give numbers and booleans as text. */
function readText({ type }: DeclaredSetting, value: unknown): unknown {
  if (typeof value !== "string" || value.trim() === "") return value;
  if (type === "number" || type === "integer") return Number.isNaN(Number(value)) ? value : Number(value);
  if (type === "boolean" && (value === "true" || value === "false")) return value === "true";
  return value;
}

function isRule(rule: (typeof SIMPLE_RULES)[number], value: unknown): boolean {
  return rule === "enum" ? Array.isArray(value) && value.length > 0 : typeof value === "number";
}
