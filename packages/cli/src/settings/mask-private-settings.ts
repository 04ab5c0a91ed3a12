import { type DeclaredSetting, readManifest } from "@muster/protocol/manifest";

export const MASK = "********";

// A value that is chosen from a list is not a secret.
const CHOSEN = new Set([
  "color",
  "segment",
  "accountSegment",
  "select",
  "trait",
  "accountTrait",
  "traitMapping",
  "accountTraitMapping",
  "event",
]);

/** Private settings without secrets: texts are masked, unless they were chosen from a list. */
export function maskPrivateSettings(manifest: unknown, values: Record<string, unknown>): Record<string, unknown> {
  const declared = new Map(readManifest(manifest).private_settings.map((setting) => [setting.name, setting]));
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, maskValue(declared.get(name), value)]),
  );
}

/** The value of one private setting as people may see it. */
export function maskValue(setting: DeclaredSetting | undefined, value: unknown): unknown {
  if (setting && (CHOSEN.has(setting.format ?? "") || Array.isArray(setting.enum))) return value;
  if (typeof value === "boolean" || typeof value === "number" || value === null || value === undefined) return value;
  return value === "" ? "" : MASK;
}
