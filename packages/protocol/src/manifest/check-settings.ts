import { checkPattern, type PatternCheck } from "./check-pattern.js";
import { checkValue } from "./check-value.js";
import type { DeclaredSetting } from "./read-manifest.js";
import { isUnset, type SettingProblem } from "./setting-problem.js";

export interface SettingsCheckOptions {
  /** The values that are stored. A value that is given again is not checked. */
  stored?: Readonly<Record<string, unknown>>;
  /**
   * Tests texts against a regular expression. A manifest's expression can take for ever, so this must be bounded. Without
   * it the patterns of mappings are not applied.
   */
  matches?: PatternCheck["matches"];
}

// More tell nobody more, and a value can have a problem in every row.
const MAX_PROBLEMS = 100;

/** Formats of settings that the connector writes itself: nobody fills them in. */
const OWN_FORMATS: readonly unknown[] = ["hidden", "oauth", "button"];

/**
 * What is wrong with the values of declared settings. Values of undeclared settings are not checked. A value that is not
 * set is never wrong, also when the setting is `required`: `missingSettings` lists those.
 */
export function checkSettings(
  declared: readonly DeclaredSetting[],
  values: Readonly<Record<string, unknown>>,
  { stored = {}, matches }: SettingsCheckOptions = {},
): SettingProblem[] {
  const problems: SettingProblem[] = [];
  for (const setting of declared) {
    const { name } = setting;
    const value = values[name];
    if (isUnset(value) || isSameJson(value, stored[name])) continue;
    const wrong = checkValue(setting, value, name);
    problems.push(...wrong.slice(0, MAX_PROBLEMS));
    if (wrong.length === 0 && matches) {
      problems.push(...checkPattern(setting, value, { stored: stored[name], matches }));
    }
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
