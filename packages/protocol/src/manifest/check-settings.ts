import { checkValue } from "./check-value.js";
import type { DeclaredSetting } from "./read-manifest.js";
import { isUnset, type SettingProblem } from "./setting-problem.js";

// Every row of a value can have a problem. A longer list does not help the caller.
const MAX_PROBLEMS = 100;

/** Formats of settings that the connector writes itself: nobody fills them in. */
const OWN_FORMATS: readonly unknown[] = ["hidden", "oauth", "button"];

/**
 * What is wrong with the values of declared settings. Values of undeclared settings are not checked. A value that is not
 * set is never wrong, also when the setting is `required`: `missingSettings` lists those. A value that is stored already
 * is not checked again. Patterns of mappings are not applied: `newFields` lists the fields that they are for.
 */
export function checkSettings(
  declared: readonly DeclaredSetting[],
  values: Readonly<Record<string, unknown>>,
  stored: Readonly<Record<string, unknown>> = {},
): SettingProblem[] {
  const problems: SettingProblem[] = [];
  for (const setting of declared) {
    const { name } = setting;
    const value = values[name];
    if (isUnset(value) || isSameJson(value, stored[name])) continue;
    problems.push(...checkValue(setting, value, name).slice(0, MAX_PROBLEMS));
    if (problems.length >= MAX_PROBLEMS) break;
  }
  return problems.slice(0, MAX_PROBLEMS);
}

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

function isSameJson(given: unknown, stored: unknown): boolean {
  return stored !== undefined && JSON.stringify(given) === JSON.stringify(stored);
}
