/** The settings of a connector, under the names they have in its record. */
export interface SettingValues {
  settings: Record<string, unknown>;
  private_settings: Record<string, unknown>;
}

/** The value of a setting by its path in the connector's record, e.g. `private_settings.interval`. */
export function settingValue(values: SettingValues, path: string): unknown {
  const [group, ...names] = path.split(".");
  if (group !== "settings" && group !== "private_settings") return undefined;
  let value: unknown = values[group];
  for (const name of names) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as Record<string, unknown>)[name];
  }
  return value;
}
