import type { SettingGroup } from "./form-sections.js";

export type Values = Readonly<Record<string, unknown>>;
export type SettingValues = Readonly<Record<SettingGroup, Values>>;
export type SettingChanges = Partial<Record<SettingGroup, Record<string, unknown>>>;

const GROUPS: readonly SettingGroup[] = ["settings", "private_settings"];

/** The changes with one more. A value that is what is stored is no change. */
export function withChange(
  changes: SettingChanges,
  stored: SettingValues,
  change: { group: SettingGroup; name: string; value: unknown },
): SettingChanges {
  const { group, name, value } = change;
  const { [name]: _before, ...others } = changes[group] ?? {};
  const isStored = isSame(value, stored[group][name]);
  const own = isStored ? others : { ...others, [name]: value };
  const { [group]: _group, ...rest } = changes;
  return Object.keys(own).length === 0 ? rest : { ...rest, [group]: own };
}

/** The stored values with the changes. */
export function withChanges(stored: SettingValues, changes: SettingChanges): SettingValues {
  return {
    settings: { ...stored.settings, ...changes.settings },
    private_settings: { ...stored.private_settings, ...changes.private_settings },
  };
}

/** What puts the stored values back after the changes. A setting that had no value is cleared: none can be removed. */
export function undoChanges(stored: SettingValues, changes: SettingChanges): SettingChanges {
  return Object.fromEntries(
    GROUPS.flatMap((group) => {
      const own = changes[group];
      if (!own) return [];
      return [[group, Object.fromEntries(Object.keys(own).map((name) => [name, stored[group][name] ?? null]))]];
    }),
  );
}

export function countChanges(changes: SettingChanges): number {
  return GROUPS.reduce((sum, group) => sum + Object.keys(changes[group] ?? {}).length, 0);
}

/** Texts without a value are stored as they are; what was never set stays unset when somebody types and deletes. */
function isSame(value: unknown, stored: unknown): boolean {
  if (isUnset(value) && isUnset(stored)) return true;
  return JSON.stringify(value) === JSON.stringify(stored);
}

function isUnset(value: unknown): boolean {
  return value === undefined || value === null || value === "";
}
