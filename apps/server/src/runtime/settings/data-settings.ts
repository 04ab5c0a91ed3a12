import { type Config, describeConfig } from "./config.js";

/**
 * Settings that belong to the data: with another value on another machine, clients would fail, rows would be deleted
 * earlier, or values would be refused that were accepted before. All other settings belong to a machine.
 */
const DATA_SETTINGS: readonly string[] = [
  "BRAND",
  "BASE_DOMAIN",
  "USER_TOKEN_MAX_DAYS",
  "LOG_RETENTION_DAYS",
  "TRACE_RETENTION_DAYS",
  "HISTORY_RETENTION_DAYS",
  "EXTRACT_RETENTION_DAYS",
  "MAX_ATTRIBUTES",
  "MAX_ENTITIES",
  "MAX_VALUE_BYTES",
  "MAX_SUBJECT_BYTES",
  "MAX_ANONYMOUS_IDS",
  "MERGES_PER_DAY",
  "END_USER_NEW_ATTRIBUTES_PER_DAY",
  "VISITOR_NEW_ATTRIBUTES_PER_DAY",
];

/** The settings that belong to the data, by their names in the environment. */
export function dataSettings(config: Config): Record<string, string> {
  const lines = describeConfig(config).filter(({ env }) => DATA_SETTINGS.includes(env));
  return Object.fromEntries(lines.map(({ env, value }) => [env, value]));
}

/** Those settings of a backup that have another value here. */
export function differentSettings(backup: Readonly<Record<string, string>>, config: Config): Record<string, string> {
  const here = dataSettings(config);
  return Object.fromEntries(Object.entries(backup).filter(([env, value]) => env in here && here[env] !== value));
}
