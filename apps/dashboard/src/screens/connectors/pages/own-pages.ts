import { parseJson } from "@muster/protocol";
import { asObject, asText, objectsIn } from "../../../ui/code/json-parts.js";

/** A page of a connector, as a tab. */
export interface OwnPage {
  /** The path in the manifest. */
  url: string;
  title: string;
  size: "small" | "large" | "borderless";
  isEditable: boolean;
  /** `setup`: where credentials are given. `workspace`: where people work once the connector is set up. */
  purpose: "setup" | "workspace" | undefined;
}

/**
 * The pages that a manifest declares for people, each once: tabs, pages with a title or a purpose, and the page under
 * `admin`. Published manifests with tabs have `ui: false` too, so this flag hides only the page under `admin`.
 */
export function ownPages(manifest: Readonly<Record<string, unknown>>): OwnPage[] {
  const declared = [
    ...objectsIn(manifest.tabs),
    ...objectsIn(manifest.html).filter((page) => asText(page.title) !== undefined || purposeOf(page) !== undefined),
    ...(manifest.ui === false ? [] : [{ url: manifest.admin, title: "Admin" }]),
  ];
  const pages = new Map<string, OwnPage>();
  for (const page of declared as Record<string, unknown>[]) {
    const { url, title, size, editable } = page;
    const purpose = purposeOf(page);
    const path = asText(url);
    if (path === undefined || pages.has(path)) continue;
    pages.set(path, {
      url: path,
      title: asText(title) ?? TITLES[purpose ?? "other"],
      size: size === "small" || size === "borderless" ? size : "large",
      isEditable: editable === true,
      purpose,
    });
  }
  return [...pages.values()];
}

const TITLES = { setup: "Set up", workspace: "Workspace", other: "Page" };

function purposeOf({ setup, workspace }: Record<string, unknown>): OwnPage["purpose"] {
  if (setup === true) return "setup";
  return workspace === true ? "workspace" : undefined;
}

/** What a page asks the dashboard to save. */
export interface PageChanges {
  settings?: Record<string, unknown>;
  private_settings?: Record<string, unknown>;
}

/**
 * The changes in a message of a connector's page: `{from: "embedded-ship", action: "update", ship: {private_settings}}`, as
 * an object or as JSON. Undefined for all other messages.
 */
export function readPageMessage(message: unknown): PageChanges | undefined {
  const given = asObject(typeof message === "string" ? parseJson(message) : message);
  const ship = asObject(given?.ship);
  if (given?.from !== "embedded-ship" || given.action !== "update" || !ship) return undefined;
  const settings = asObject(ship.settings);
  const privateSettings = asObject(ship.private_settings);
  if (!settings && !privateSettings) return undefined;
  return { ...(settings ? { settings } : {}), ...(privateSettings ? { private_settings: privateSettings } : {}) };
}
