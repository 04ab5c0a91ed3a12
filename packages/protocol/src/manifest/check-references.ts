import { isObject } from "../helpers/is-object.js";
import { CHANNELS } from "../notification.js";
import type { ManifestProblem } from "./manifest-problem.js";
import { readManifest, SETTING_GROUPS } from "./read-manifest.js";

/** The channels that a manifest may name. The last two stand for the segments of users and of accounts. */
export const MANIFEST_CHANNELS: readonly string[] = [...CHANNELS, "segment:update", "segment:delete"];

/** The channels whose messages can be filtered by segments. */
const FILTERED_CHANNELS: readonly string[] = ["user:update", "account:update"];

/** Channels that do not exist, and paths of settings that are not declared. */
export function checkReferences(manifest: Readonly<Record<string, unknown>>): ManifestProblem[] {
  const declared = declaredPaths(manifest);
  const references = new References(declared);
  return [
    ...sectionProblems(manifest, declared),
    ...entriesOf(manifest, "subscriptions").flatMap(([path, given]) => subscriptionProblems(given, path, references)),
    ...entriesOf(manifest, "batches").flatMap(([path, given]) => channelProblems(given.channels, `${path}.channels`)),
    ...["schedules", "statuses"].flatMap((section) =>
      entriesOf(manifest, section).flatMap(([path, given]) =>
        references.problem(given.value_from, `${path}.value_from`),
      ),
    ),
    ...(isObject(manifest.status) ? references.problem(manifest.status.value_from, "status.value_from") : []),
  ];
}

/** The paths of the settings in a manifest, and of the endpoints with a name, which are placed in sections like settings. */
function declaredPaths(manifest: Readonly<Record<string, unknown>>): ReadonlySet<string> {
  const read = readManifest(manifest);
  return new Set([
    ...SETTING_GROUPS.flatMap((group) => read[group].map(({ name }) => `${group}.${name}`)),
    ...read.json.flatMap(({ name }) => (name === undefined ? [] : [`json.${name}`])),
  ]);
}

function sectionProblems(
  manifest: Readonly<Record<string, unknown>>,
  declared: ReadonlySet<string>,
): ManifestProblem[] {
  return entriesOf(manifest, "settings_sections").flatMap(([path, { properties }]) =>
    textsIn(properties, `${path}.properties`)
      .filter(([, property]) => !declared.has(property))
      .map(([, property]) => notDeclared(property, `${path}.properties`)),
  );
}

/** The settings whose values Muster reads: filters and schedules name them. */
class References {
  readonly #declared: ReadonlySet<string>;

  constructor(declared: ReadonlySet<string>) {
    this.#declared = declared;
  }

  problem(given: unknown, path: string): ManifestProblem[] {
    if (typeof given !== "string" || given === "") return [];
    const [group, name] = given.split(".");
    if ((group !== "settings" && group !== "private_settings") || name === undefined || name === "") {
      const message = `"${given}" is not the path of a setting: it must begin with settings. or private_settings.`;
      return [{ path, message, severity: "error" }];
    }
    // The path may go on into the value of the setting.
    return this.#declared.has(`${group}.${name}`) ? [] : [notDeclared(given, path)];
  }
}

function subscriptionProblems(
  { conditions, channels }: Readonly<Record<string, unknown>>,
  path: string,
  references: References,
): ManifestProblem[] {
  const { channels: whitelist, segments } = isObject(conditions) ? conditions : {};
  const only = isObject(whitelist) ? whitelist.only : undefined;
  return [
    ...textsIn(only, `${path}.conditions.channels.only`).flatMap(([at, channel]) => channelProblem(channel, at)),
    ...Object.entries(isObject(segments) ? segments : {}).flatMap(([channel, paths]) => {
      const at = `${path}.conditions.segments.${channel}`;
      if (!FILTERED_CHANNELS.includes(channel)) {
        const message = `segments filter ${FILTERED_CHANNELS.map((name) => `"${name}"`).join(" and ")} only`;
        return [{ path: at, message, severity: "error" as const }];
      }
      return textsIn(paths, at).flatMap(([place, given]) => references.problem(given, place));
    }),
    ...channelProblems(channels, `${path}.channels`),
    ...entriesOf({ channels }, "channels").flatMap(([at, entry]) =>
      textsIn(entry["events-whitelist"], `${path}.${at}.events-whitelist`).flatMap(([place, given]) =>
        references.problem(given, place),
      ),
    ),
  ];
}

function channelProblems(channels: unknown, path: string): ManifestProblem[] {
  return entriesOf({ channels }, "channels").flatMap(([at, { channel }]) =>
    channelProblem(channel, `${path}${at.slice("channels".length)}.channel`),
  );
}

function channelProblem(channel: unknown, path: string): ManifestProblem[] {
  if (typeof channel !== "string" || MANIFEST_CHANNELS.includes(channel)) return [];
  return [{ path, message: `"${channel}" is not a channel`, severity: "error" }];
}

function notDeclared(given: string, path: string): ManifestProblem {
  return { path, message: `"${given}" is not declared`, severity: "warning" };
}

/** The objects in a list of a manifest, each with its path. */
function entriesOf(
  manifest: Readonly<Record<string, unknown>>,
  section: string,
): [path: string, Record<string, unknown>][] {
  const given = manifest[section];
  if (!Array.isArray(given)) return [];
  return given.flatMap((entry: unknown, index) => (isObject(entry) ? [[`${section}.${index}`, entry]] : []));
}

/** The texts in a list, each with its path; or one text alone. */
function textsIn(given: unknown, path: string): [path: string, string][] {
  if (typeof given === "string") return [[path, given]];
  if (!Array.isArray(given)) return [];
  return given.flatMap((entry: unknown, index) => (typeof entry === "string" ? [[`${path}.${index}`, entry]] : []));
}
