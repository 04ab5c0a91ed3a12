import { asText, objectsIn } from "../ui/code/json-parts.js";
import { readSetting, type Setting } from "./read-setting.js";

export type SettingGroup = "settings" | "private_settings";

/** A field of the form. Buttons of the manifest's JSON endpoints have no group: they hold no value. */
export interface FormField {
  path: string;
  group: SettingGroup | undefined;
  setting: Setting;
}

export interface FormSection {
  title: string;
  description: string | undefined;
  /** While setup is required, only the sections for the credentials are enabled. */
  isEnabled: boolean;
  fields: FormField[];
}

/** What the form needs of the record of a connector. */
export interface ConnectorForm {
  manifest: Readonly<Record<string, unknown>>;
  sections?: unknown;
}

const GROUPS: readonly SettingGroup[] = ["settings", "private_settings"];

/**
 * The sections of the settings form. Paths that name nothing are left out, hidden settings too. Settings that are in no
 * section come last, so that every setting can be reached.
 */
export function formSections({ manifest, sections }: ConnectorForm): FormSection[] {
  const fields = new Map([...settingFields(manifest), ...endpointFields(manifest)].map((field) => [field.path, field]));
  const placed = new Set<string>();
  const given = objectsIn(sections ?? manifest.settings_sections).map((section) => {
    const paths = Array.isArray(section.properties) ? section.properties : [];
    return {
      title: asText(section.title) ?? "",
      description: asText(section.description),
      isEnabled: section.enabled !== false,
      fields: paths.flatMap((path: unknown) => {
        const field = fields.get(String(path));
        if (!field || placed.has(field.path)) return [];
        placed.add(field.path);
        return [field];
      }),
    };
  });
  const rest = [...fields.values()].filter(({ path, group }) => group !== undefined && !placed.has(path));
  const shown = given.filter(({ description, fields: own }) => own.length > 0 || description !== undefined);
  if (rest.length === 0) return shown;
  const title = shown.length === 0 ? "Settings" : "Other settings";
  return [...shown, { title, description: undefined, isEnabled: true, fields: rest }];
}

function settingFields(manifest: Readonly<Record<string, unknown>>): FormField[] {
  return GROUPS.flatMap((group) =>
    objectsIn(manifest[group]).flatMap((raw) => {
      const name = asText(raw.name);
      if (name === undefined || raw.format === "hidden") return [];
      return [{ path: `${group}.${name}`, group, setting: readSetting(raw, name) }];
    }),
  );
}

/** Endpoints that a section can show: buttons, and texts that the connector gives. */
function endpointFields(manifest: Readonly<Record<string, unknown>>): FormField[] {
  return objectsIn(manifest.json).flatMap((raw) => {
    const name = asText(raw.name);
    if (name === undefined || asText(raw.url) === undefined) return [];
    const format = asText(raw.format) ?? "button";
    return [{ path: `json.${name}`, group: undefined, setting: readSetting({ ...raw, format }, name) }];
  });
}
