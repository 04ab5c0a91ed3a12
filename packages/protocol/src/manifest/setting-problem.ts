export interface SettingProblem {
  /** The name of the setting and the place in its value: `mapping` or `mapping.2.service`. */
  path: string;
  message: string;
}

/** Settings with one of these values count as not set: people and connectors clear settings with them. */
export function isUnset(value: unknown): boolean {
  return value === undefined || value === null || value === "";
}
