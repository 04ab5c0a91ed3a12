import { isObject } from "@muster/protocol";
import type { ConnectorPage } from "@muster/protocol/api/connectors";
import { type DeclaredPage, type ReadManifest, readManifest } from "@muster/protocol/manifest";
import type { Connector } from "../domain/connectors/connector.js";
import { browserUrl, withCredentials } from "../domain/connectors/connector-url.js";

/** The tabs, pages and sign-in screens of a connector, for browsers. Their addresses contain its secret. */
export function connectorPages(connector: Connector, organization: string, serverUrl: string): ConnectorPage[] {
  if (connector.sourceUrl === null) return [];
  const { tabs, html, admin, settings, private_settings } = readManifest(connector.manifest);
  const page = (kind: ConnectorPage["kind"], { title, size, ...declared }: DeclaredPage): ConnectorPage => ({
    ...declared,
    kind,
    title: title ?? null,
    size: size ?? null,
    url: withCredentials(browserUrl(connector, declared.url, serverUrl), connector, organization).href,
  });
  const plain = { title: undefined, size: undefined, editable: false, setup: false, workspace: false };
  const oauth = [...settings, ...private_settings].flatMap(({ format, url, title, name }) =>
    format === "oauth" && typeof url === "string"
      ? [page("oauth", { ...plain, url, setup: true, title: typeof title === "string" ? title : name })]
      : [],
  );
  return [
    ...tabs.map((tab) => page("tab", tab)),
    ...html.map((one) => page("html", one)),
    ...(admin === undefined ? [] : [page("admin", { ...plain, url: admin })]),
    ...oauth,
  ];
}

/** Whether a manifest declares an endpoint for the dashboard: one that loads options, a button, or a JSON endpoint. */
export function isCallable(manifest: ReadManifest, path: string): boolean {
  return (
    manifest.json.some(({ url }) => url === path) ||
    settingParts(manifest).some(({ loadOptions, url }) => loadOptions === path || url === path)
  );
}

/** Whether the manifest says that calls of an endpoint change nothing, as those of a preview. */
export function onlyReads(manifest: ReadManifest, path: string): boolean {
  return manifest.json.some(({ url, reads }) => url === path && reads === true);
}

/** Whether a setting of the manifest is a button that calls a path. */
export function isButton(manifest: ReadManifest, path: string): boolean {
  return settingParts(manifest).some(({ format, url }) => format === "button" && url === path);
}

/** Whether a setting of the manifest loads its options from a path. */
export function offersOptions(manifest: ReadManifest, path: string): boolean {
  return settingParts(manifest).some(({ loadOptions }) => loadOptions === path);
}

/** The settings of a manifest with everything inside them, at any depth: tables contain settings. */
function settingParts({ settings, private_settings, deployment_settings }: ReadManifest): Record<string, unknown>[] {
  const parts: Record<string, unknown>[] = [];
  const unread: unknown[] = [...settings, ...private_settings, ...deployment_settings];
  for (let next = unread.pop(); next !== undefined; next = unread.pop()) {
    if (Array.isArray(next)) unread.push(...next);
    if (!isObject(next)) continue;
    const { default: _default, ...part } = next;
    parts.push(part);
    unread.push(...Object.values(part));
  }
  return parts;
}
