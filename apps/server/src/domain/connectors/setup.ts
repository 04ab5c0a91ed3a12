import { isDeepStrictEqual } from "node:util";
import { Refusal, type RefusalDetail } from "@muster/protocol";
import type { SettingsSection } from "@muster/protocol/api/connectors";
import {
  type ConnectorStatus,
  isUnset,
  missingSettings,
  type ReadManifest,
  type SettingGroup,
} from "@muster/protocol/manifest";

/** The step of a section that stays enabled while setup is required. */
const CREDENTIALS = "credentials";

type Values = Readonly<Record<string, unknown>>;

/**
 * The sections of the settings form. While setup is required only those for the credentials are enabled. When no section
 * is for the credentials, all of them are enabled: otherwise the operator could never set the connector up.
 */
export function settingsSections(
  { settings_sections: sections }: ReadManifest,
  status: ConnectorStatus,
): SettingsSection[] {
  const isLimited = status === "setupRequired" && sections.some(({ step }) => step === CREDENTIALS);
  return sections.map(({ title, description, step, properties }) => ({
    title,
    description: description ?? null,
    step: step ?? null,
    enabled: !isLimited || step === CREDENTIALS,
    properties,
  }));
}

/** The paths of the settings that are in sections, but in none that is enabled. */
function lockedSettings(manifest: ReadManifest, status: ConnectorStatus): ReadonlySet<string> {
  const sections = settingsSections(manifest, status);
  const inSections = (enabled: boolean) =>
    sections.filter((section) => section.enabled === enabled).flatMap(({ properties }) => properties);
  const open = new Set(inSections(true));
  return new Set(inSections(false).filter((path) => !open.has(path)));
}

export interface SettingsOfGroup {
  group: SettingGroup;
  /** The key of the request body that holds the given values. */
  key: string;
  given: Values;
  stored: Values;
}

/** Refuses to change settings of sections that are not enabled. A given value that is stored already is no change. */
export function requireUnlocked(
  manifest: ReadManifest,
  status: ConnectorStatus,
  groups: readonly SettingsOfGroup[],
): void {
  const locked = lockedSettings(manifest, status);
  const details = groups.flatMap(({ group, key, given, stored }) =>
    Object.keys(given)
      .filter((name) => locked.has(`${group}.${name}`) && !isSame(given[name], stored[name]))
      .map((name) => ({ path: `body.${key}.${name}`, message: "is in a section that is not enabled yet" })),
  );
  if (details.length === 0) return;
  throw new Refusal(
    "setup_required",
    `The connector must be set up first: give its credentials and wait until it reports another status. Not changed: ${pathsOf(details)}.`,
    { details },
  );
}

/**
 * Refuses to enable a connector whose required settings have no value. Settings of disabled sections are not
 * required, because the operator cannot set them yet.
 */
export function requireComplete(
  manifest: ReadManifest,
  status: ConnectorStatus,
  groups: readonly SettingsOfGroup[],
): void {
  const locked = lockedSettings(manifest, status);
  const details = groups.flatMap(({ group, key, given, stored }) =>
    missingSettings(manifest[group], { ...stored, ...given })
      .filter((name) => !locked.has(`${group}.${name}`))
      .map((name) => ({ path: `body.${key}.${name}`, message: "is required" })),
  );
  if (details.length === 0) return;
  throw new Refusal(
    "missing_parameters",
    `The connector cannot be enabled: it requires settings that have no value: ${pathsOf(details)}.`,
    { details },
  );
}

function isSame(given: unknown, stored: unknown): boolean {
  return isDeepStrictEqual(given, stored) || (isUnset(given) && isUnset(stored));
}

function pathsOf(details: readonly RefusalDetail[]): string {
  return details.map(({ path }) => path).join(", ");
}
