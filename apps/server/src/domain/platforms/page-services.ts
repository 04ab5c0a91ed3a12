import { readManifest } from "@muster/protocol/manifest";
import type { Connector } from "../connectors/connector.js";

/** The services of an organization as pages see them. */
export interface PageServices {
  /** The public settings of each service, by its name. */
  settings: Record<string, Record<string, unknown>>;
  /** The names of services, by the tags of their manifests. */
  types: Record<string, string[]>;
}

type Listed = Pick<Connector, "name" | "enabled" | "manifest" | "settings">;

/**
 * The services of an organization: its enabled connectors whose manifest declares settings for web pages. Anybody can open
 * a page, so other connectors are not named, and only declared settings are told.
 */
export function pageServices(connectors: readonly Listed[]): PageServices {
  const byName: PageServices["settings"] = {};
  const types = new Map<string, string[]>();
  for (const { name, enabled, manifest, settings } of connectors) {
    const declared = readManifest(manifest);
    if (!enabled || declared.settings.length === 0) continue;
    const key = freeName(byName, name);
    byName[key] = pageSettings({ manifest, settings });
    for (const tag of new Set(declared.tags)) types.set(tag, [...(types.get(tag) ?? []), key]);
  }
  return { settings: byName, types: Object.fromEntries(types) };
}

/** The settings of a connector that a page may know: those that its manifest declares for pages. */
export function pageSettings({ manifest, settings }: Pick<Listed, "manifest" | "settings">): Record<string, unknown> {
  const told = readManifest(manifest).settings.flatMap(({ name }) => {
    const value = Object.hasOwn(settings, name) ? settings[name] : undefined;
    return value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(told);
}

/** The name of a service as a key: `My CRM` is `my_crm`. A second service of that name is `my_crm_2`. */
function freeName(taken: Record<string, unknown>, name: string): string {
  const key =
    name
      .toLowerCase()
      .replace(/[^\p{L}\p{N}]+/gu, "_")
      .replace(/^_|_$/g, "") || "service";
  if (!Object.hasOwn(taken, key)) return key;
  let count = 2;
  while (Object.hasOwn(taken, `${key}_${count}`)) count += 1;
  return `${key}_${count}`;
}
