import { isObject } from "../helpers/is-object.js";
import { STANDARD_SEGMENTS } from "../segment-filter.js";
import { checkSettingOptions, warnOfFlag } from "./check-options.js";
import { checkReferences } from "./check-references.js";
import { checkSettings } from "./check-settings.js";
import { standardValues } from "./format-checks.js";
import { Manifest } from "./manifest.js";
import type { ManifestProblem } from "./manifest-problem.js";
import { type ReadManifest, readManifest, SETTING_GROUPS } from "./read-manifest.js";
import { schemaProblems } from "./schema-problems.js";
import { FORM_FORMATS, SETTING_FORMATS } from "./setting-entry.js";

/** Every part that does not follow the manifest's schema or contradicts another part. `readManifest` reads the manifest nevertheless. */
export function checkManifest(value: unknown): ManifestProblem[] {
  const given = isObject(value) ? value : {};
  const manifest = readManifest(given);
  return [
    ...schemaProblems(Manifest, value).filter(({ path }) => !isFlagAsText(given, path)),
    ...settingProblems(given),
    ...titleProblems(given),
    ...formatProblems(manifest),
    ...standardProblems(manifest),
    ...checkReferences(given),
    ...scheduleProblems(given),
    ...indexProblems(manifest),
  ];
}

function settingProblems(given: Record<string, unknown>): ManifestProblem[] {
  return SETTING_GROUPS.flatMap((group) => {
    const names = new Set<unknown>();
    return listOf(given[group]).flatMap((setting, index) => {
      if (!isObject(setting)) return [];
      const path = `${group}.${index}`;
      const { name, required } = setting;
      const isRepeated = typeof name === "string" && names.has(name);
      names.add(name);
      return [
        ...(isRepeated ? [warning(`${path}.name`, `"${name}" is declared twice`)] : []),
        ...warnOfFlag(required, `${path}.required`),
        ...checkSettingOptions(setting, path),
        ...defaultProblems(setting, path),
      ];
    });
  });
}

/** The default is stored at installation, so it should be a value that the setting takes. */
function defaultProblems(setting: Record<string, unknown>, path: string): ManifestProblem[] {
  const [declared] = readManifest({ settings: [setting] }).settings;
  if (!declared) return [];
  return checkSettings([declared], { [declared.name]: declared.default }).map((problem) =>
    warning(`${path}.default${problem.path.slice(declared.name.length)}`, problem.message),
  );
}

function titleProblems(given: Record<string, unknown>): ManifestProblem[] {
  return listOf(given.settings_sections).flatMap((section, index) =>
    isObject(section) && (section.title === undefined || section.title === "")
      ? [warning(`settings_sections.${index}.title`, "is missing: the section is shown without a title")]
      : [],
  );
}

/** Whether a problem is about a `required` that is written as text: it is read nevertheless. */
function isFlagAsText(given: Record<string, unknown>, path: string): boolean {
  const [group = "", index, key, ...rest] = path.split(".");
  if (key !== "required" || rest.length > 0) return false;
  const setting = listOf(given[group])[Number(index)];
  return isObject(setting) && (setting.required === "true" || setting.required === "false");
}

function formatProblems(manifest: ReadManifest): ManifestProblem[] {
  const known: readonly string[] = [...SETTING_FORMATS, ...FORM_FORMATS];
  return SETTING_GROUPS.flatMap((group) =>
    manifest[group].flatMap(({ name, format }) =>
      format === undefined || known.includes(format)
        ? []
        : [
            warning(
              `${group}.${name}.format`,
              `the format "${format}" is not known: the setting is shown as a plain field`,
            ),
          ],
    ),
  );
}

/** A setting with segments may offer only values that Muster knows: filters are made of them. */
function standardProblems(manifest: ReadManifest): ManifestProblem[] {
  const known: readonly string[] = Object.values(STANDARD_SEGMENTS);
  return SETTING_GROUPS.flatMap((group) =>
    manifest[group].flatMap(({ name, format, options }) => {
      if (format !== "segment" && format !== "accountSegment") return [];
      return standardValues(options?.standard ?? {})
        .filter((value) => !known.includes(value))
        .map((value) =>
          warning(
            `${group}.${name}.options.standard`,
            `the value "${value}" is not one of ${known.join(", ")}: no subject passes a filter by it`,
          ),
        );
    }),
  );
}

function scheduleProblems(given: Record<string, unknown>): ManifestProblem[] {
  const lists = ["schedules", "statuses"].flatMap((section) =>
    listOf(given[section]).map((entry, index): [string, unknown] => [`${section}.${index}`, entry]),
  );
  return [...lists, ["status", given.status] as const].flatMap(([path, entry]): ManifestProblem[] => {
    if (!isObject(entry) || typeof entry.url !== "string") return [];
    const { value, value_from: valueFrom, type, default: fallback } = entry;
    if (valueFrom !== undefined) return [];
    if (value === undefined) {
      return [{ path, message: "has no `value` and no `value_from`: it is never called", severity: "error" }];
    }
    // The server parses cron expressions; they are not checked here.
    if (type === "cron" || Number(value) > 0 || Number(fallback) > 0) return [];
    return [{ path, message: "has no usable number of minutes: it is never called", severity: "error" }];
  });
}

function indexProblems({ tags, index }: ReadManifest): ManifestProblem[] {
  if (!tags.includes("client") || index !== undefined) return [];
  return [{ path: "index", message: "is required of a connector with client-side code", severity: "error" }];
}

function warning(path: string, message: string): ManifestProblem {
  return { path, message, severity: "warning" };
}

function listOf(given: unknown): unknown[] {
  return Array.isArray(given) ? given : [];
}
