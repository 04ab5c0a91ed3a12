import { Value } from "typebox/value";
import { isObject } from "../is-object.js";
import { STANDARD_SEGMENTS } from "../segment-filter.js";
import { Manifest, SETTING_FORMATS } from "./manifest.js";
import { readManifest, SETTING_GROUPS } from "./read-manifest.js";

export interface ManifestProblem {
  /** Where, e.g. `private_settings.3.type`. */
  path: string;
  message: string;
  /** `error`: the part is not used; `warning`: the part is used, but perhaps not as its author expects. */
  severity: "error" | "warning";
}

/** Every part that does not follow the manifest's schema or contradicts another part. `readManifest` reads it all the same. */
export function checkManifest(value: unknown): ManifestProblem[] {
  return [
    ...schemaProblems(value),
    ...formatProblems(value),
    ...standardProblems(value),
    ...sectionProblems(value),
    ...indexProblems(value),
  ];
}

function schemaProblems(value: unknown): ManifestProblem[] {
  return [...Value.Errors(Manifest, value)].map((error) => {
    const path = error.instancePath.slice(1).replaceAll("/", ".");
    // The problem of a missing key is reported at the object that should have it.
    const missing = error.keyword === "required" ? error.params.requiredProperties : undefined;
    if (missing) return { path: join(path, missing.join(", ")), message: "is required", severity: "error" };
    return { path, message: error.message, severity: "error" };
  });
}

function formatProblems(value: unknown): ManifestProblem[] {
  const known: readonly string[] = SETTING_FORMATS;
  const manifest = readManifest(value);
  return SETTING_GROUPS.flatMap((group) =>
    manifest[group].flatMap(({ name, format }) =>
      format === undefined || known.includes(format)
        ? []
        : [
            {
              path: `${group}.${name}.format`,
              message: `the format "${format}" is not known: the setting is shown as a plain field`,
              severity: "warning" as const,
            },
          ],
    ),
  );
}

/** `options.standard` of a setting with segments maps values to labels, and Muster knows only some values. */
function standardProblems(value: unknown): ManifestProblem[] {
  const manifest = readManifest(value);
  const known: readonly string[] = Object.values(STANDARD_SEGMENTS);
  return SETTING_GROUPS.flatMap((group) =>
    manifest[group].flatMap(({ name, format, options }) => {
      const standard = isObject(options) ? options.standard : undefined;
      if (standard === undefined || (format !== "segment" && format !== "accountSegment")) return [];
      const path = `${group}.${name}.options.standard`;
      if (!isObject(standard)) {
        return [
          { path, message: 'must map values to labels, such as {"ALL": "Everybody"}', severity: "warning" as const },
        ];
      }
      return Object.keys(standard)
        .filter((each) => !known.includes(each))
        .map((each) => ({
          path,
          message: `the value "${each}" is none of ${known.join(", ")}: nobody passes a filter by it`,
          severity: "warning" as const,
        }));
    }),
  );
}

function sectionProblems(value: unknown): ManifestProblem[] {
  const manifest = readManifest(value);
  const declared = new Set([
    ...SETTING_GROUPS.flatMap((group) => manifest[group].map(({ name }) => `${group}.${name}`)),
    // Buttons and other endpoints with a name are placed in sections like settings.
    ...manifest.json.flatMap(({ name }) => (name === undefined ? [] : [`json.${name}`])),
  ]);
  return manifest.settings_sections.flatMap(({ properties }, index) =>
    properties
      .filter((path) => !declared.has(path))
      .map((path) => ({
        path: `settings_sections.${index}.properties`,
        message: `"${path}" is not declared`,
        severity: "warning" as const,
      })),
  );
}

function indexProblems(value: unknown): ManifestProblem[] {
  const { tags, index } = readManifest(value);
  if (!tags.includes("client") || index !== undefined) return [];
  return [{ path: "index", message: "is required of a connector with client-side code", severity: "error" }];
}

function join(path: string, name: string): string {
  return path === "" ? name : `${path}.${name}`;
}
