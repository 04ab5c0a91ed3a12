export interface SettingProblem {
  /** The name of the setting and the place in its value: `mapping` or `mapping.2.service`. */
  path: string;
  message: string;
  /** Set when a field of a mapping does not match the pattern for new fields: it is no problem if the field exists. */
  newField?: NewField;
}

/** A field of a mapping that is neither stored nor a default. */
export interface NewField {
  name: string;
  /** The name of the setting that holds the mapping. */
  setting: string;
  side: "attribute" | "service";
}

/** Settings with one of these values count as not set: people and connectors clear settings with them. */
export function isUnset(value: unknown): boolean {
  return value === undefined || value === null || value === "";
}
